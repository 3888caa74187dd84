// ioredis as a web application's cache; client tracking by its own commands. The first argument is the package: ioredis5 or ioredis6.
'use strict';
const { test, same, true: isTrue, throws, until, runAll, socket, port, coppice, long } = require('./check.cjs');
const { Redis } = require(process.argv[2]);
const three = process.argv[2] !== 'ioredis5';

const opened = [];
function client(more = {}) {
  const c = new Redis({ path: socket, ...more });
  opened.push(c);
  return c;
}
const c = client();

test('values', async () => {
  const bytes = Buffer.from(Array.from({ length: 1 << 20 }, (_, i) => (i * 31 + (i >> 8)) & 255));
  same([await c.set('k', 'v', 'EX', 100, 'NX'), await c.set('k', 'w', 'NX')], ['OK', null]);
  isTrue((await c.ttl('k')) > 90, 'ttl');
  await c.set('bytes', bytes);
  isTrue(bytes.equals(await c.getBuffer('bytes')), '1 MiB comes back');
  await c.mset({ a: '1', b: '2', 'ü': 'ö' });
  same(await c.mget('a', 'none', 'ü'), ['1', null, 'ö']);
  same(await c.del('a', 'b', 'none'), 2);
  same([await c.incr('n'), await c.incrby('n', 41), await c.decr('n')], [1, 42, 41]);
  same([await c.getdel('n'), await c.exists('n'), await c.type('k')], ['41', 0, 'string']);
});
test('errors', async () => {
  await c.set('text', 'abc');
  await throws(() => c.incr('text'), 'ERR value is not an integer or out of range');
  await throws(() => c.call('NOSUCH', 'a'), "ERR unknown command 'NOSUCH', with args beginning with: 'a'");
  await throws(() => c.setex('text', 0, 'new'), "ERR invalid expire time in 'setex' command");
  if (coppice) {
    await throws(() => c.eval('return 1', 0), 'NOLUA');
    const scripted = client({ scripts: { mine: { lua: 'return ARGV[1]', numberOfKeys: 0 } } });
    await throws(() => scripted.mine('x'), 'NOLUA');
  }
  same(await c.get('text'), 'abc');
});
test('pipelines', async () => {
  const count = long ? 100000 : 10000;
  const pipe = c.pipeline();
  for (let n = 0; n < count; ++n) pipe.set(`k${n}`, n).get(`k${n}`);
  const answers = await pipe.exec();
  same(answers.length, 2 * count);
  isTrue(answers.every(([error, value], i) => error === null && value === (i % 2 ? String(i >> 1) : 'OK')), 'each reply is its command\'s');
  const automatic = client({ enableAutoPipelining: true });
  same(await Promise.all(Array.from({ length: 1000 }, (_, n) => automatic.get(`k${n}`))), Array.from({ length: 1000 }, (_, n) => String(n)));
});
test('transactions', async () => {
  same(await c.multi().set('a', '1').incr('a').get('a').exec(), [[null, 'OK'], [null, 2], [null, '2']]);
  const mine = client();
  await mine.watch('a');
  await c.incr('a');
  same(await mine.multi().set('a', '100').exec(), null);
  same(await c.get('a'), '3');
  const answers = await c.multi().set('s', 'x').incr('s').get('s').exec();
  same([answers[0][1], String(answers[1][0]?.message).slice(0, 3), answers[2][1]], ['OK', 'ERR', 'x']);
});
test('a scan stream', async () => {
  await c.mset(Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`user:${n}`, 'v'])));
  const seen = new Set();
  for await (const keys of c.scanStream({ match: 'user:1*', count: 20 })) for (const key of keys) seen.add(key);
  same(seen.size, 111);
  for await (const keys of c.scanStream({ match: 'user:*', count: 100 })) if (keys.length) await c.unlink(keys);
  same(await c.dbsize(), 0);
});
test('prefixes, databases, TCP', async () => {
  const mine = client({ path: undefined, host: '127.0.0.1', port, db: 5, keyPrefix: 'app:' });
  await mine.set('k', 'five');
  same([await c.get('app:k'), await mine.get('k'), (await mine.keys('*'))[0]], [null, 'five', 'app:k']);
  await mine.flushdb();
  same(await mine.get('k'), null);
});
test('a subscription', async () => {
  const listener = client();
  const heard = [];
  listener.on('message', (channel, message) => heard.push([channel, message]));
  listener.on('pmessage', (pattern, channel, message) => heard.push([pattern, channel, message]));
  same(await listener.subscribe('news'), 1);
  same(await listener.psubscribe('sport.*'), 2);
  same([await c.publish('news', 'a'), await c.publish('sport.tennis', 'b'), await c.publish('weather', 'c')], [1, 1, 0]);
  await until(() => heard.length === 2);
  same(heard, [['news', 'a'], ['sport.*', 'sport.tennis', 'b']]);
});
test('keyspace notifications', async () => {
  await c.config('SET', 'notify-keyspace-events', 'KEA');
  const listener = client();
  const heard = [];
  listener.on('pmessage', (pattern, channel, message) => heard.push(`${channel.split(':').pop()} ${message}`));
  await listener.psubscribe('__keyspace@0__:*');
  await c.set('k', 'v');
  await c.pexpire('k', 20);
  await until(async () => (await c.get('k')) === null && heard.length >= 3);
  await c.set('l', 'v');
  await c.del('l');
  await until(() => heard.length >= 5);
  same(heard, ['k set', 'k expire', 'k expired', 'l set', 'l del']);
  await c.config('SET', 'notify-keyspace-events', '');
});
test('monitoring', async () => {
  const monitor = await c.monitor();
  const seen = [];
  monitor.on('monitor', (time, words) => seen.push(words.join(' ').toLowerCase()));
  await c.set('k', 'v');
  await until(() => seen.includes('set k v'));
  monitor.disconnect();
});

// A cache of this process that is told what changed: by a second connection under RESP2, as the protocol asks for.
async function tracked(...options) {
  const listener = client({ protocol: 2 });
  const told = [];
  listener.on('message', (channel, keys) => told.push(...String(keys).split(',')));
  await listener.subscribe('__redis__:invalidate');
  const mine = client({ protocol: 2 });
  // The listener's id: asked by another connection, since it may only listen now.
  const lines = (await c.client('LIST')).trim().split('\n').map((line) => Object.fromEntries(line.split(' ').map((part) => part.split('='))));
  const id = Math.max(...lines.filter((line) => line.cmd === 'subscribe').map((line) => Number(line.id)));
  same(await mine.client('TRACKING', 'ON', 'REDIRECT', id, ...options), 'OK');
  return [mine, told];
}
test('a redirected tracking hears of changes', async () => {
  await c.mset({ k: '1', l: '1', m: '1' });
  const [mine, told] = await tracked();
  same(await mine.mget('k', 'l', 'm'), ['1', '1', '1']);
  await c.set('k', '2');
  await until(() => told.length === 1);
  await c.set('k', '3');
  await c.del('l');
  await c.pexpire('m', 1);
  await until(() => told.includes('l') && told.includes('m'));
  same(told.filter((key) => key === 'k').length, 1, 'once for what was read once');
});
test('tracking by prefix', async () => {
  const [, told] = await tracked('BCAST', 'PREFIX', 'shop:', 'PREFIX', 'user:');
  await c.mset({ 'shop:1': 'a', 'else:1': 'b', 'user:1': 'c' });
  await until(() => told.length >= 2);
  same(told.sort(), ['shop:1', 'user:1']);
});
test('tracking of what was opted in to', async () => {
  await c.mset({ k: '1', l: '1' });
  const [mine, told] = await tracked('OPTIN');
  await mine.get('l');
  await mine.client('CACHING', 'YES');
  await mine.get('k');
  await c.set('l', '2');
  await c.set('k', '2');
  await until(() => told.length >= 1);
  same(told, ['k']);
});
if (three) {
  test('RESP3', async () => {
    const mine = client({ protocol: 3 });
    same([await mine.set('k', 'v'), await mine.get('k'), await mine.get('none')], ['OK', 'v', null]);
    isTrue((await mine.info('memory')).includes('used_memory:'), 'INFO is text');
    same((await mine.config('GET', 'maxmemory-policy'))[0], 'maxmemory-policy');
  });
}

runAll(() => c.flushall(), () => opened.forEach((each) => each.disconnect()));
