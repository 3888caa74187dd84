// node-redis as a web application's cache, with its client-side cache. The first argument is the package: redis5 or redis6.
'use strict';
const { test, same, true: isTrue, throws, until, runAll, socket, port, coppice, long } = require('./check.cjs');
const redis = require(process.argv[2]);

const opened = [];
async function client(more = {}) {
  const c = redis.createClient({ socket: { path: socket }, ...more });
  c.on('error', () => {});
  await c.connect();
  opened.push(c);
  return c;
}

let c;
// What another one writes, past any cache.
let other;

test('values', async () => {
  const bytes = Buffer.from(Array.from({ length: 1 << 20 }, (_, i) => (i * 31 + (i >> 8)) & 255));
  same(await c.set('k', 'v', { expiration: { type: 'EX', value: 100 }, condition: 'NX' }), 'OK');
  same(await c.set('k', 'w', { condition: 'NX' }), null);
  isTrue((await c.ttl('k')) > 90, 'ttl');
  await c.set('bytes', bytes);
  const binary = c.withTypeMapping({ [redis.RESP_TYPES.BLOB_STRING]: Buffer });
  isTrue(bytes.equals(await binary.get('bytes')), '1 MiB comes back');
  same(await c.get('none'), null);
  await c.mSet({ a: '1', b: '2', 'ü': 'ö' });
  same(await c.mGet(['a', 'none', 'ü']), ['1', null, 'ö']);
  same(await c.del(['a', 'b', 'none']), 2);
  same([await c.incr('n'), await c.incrBy('n', 41), await c.decr('n')], [1, 42, 41]);
  same([await c.getDel('n'), await c.exists('n'), await c.type('k')], ['41', 0, 'string']);
});
test('errors', async () => {
  await c.set('text', 'abc');
  await throws(() => c.incr('text'), 'value is not an integer or out of range');
  await throws(() => c.sendCommand(['NOSUCH', 'a']), "unknown command 'NOSUCH', with args beginning with: 'a'");
  await throws(() => c.setEx('text', 0, 'new'), "invalid expire time in 'setex' command");
  if (coppice) await throws(() => c.eval('return 1'), 'NOLUA');
  same(await c.get('text'), 'abc');
});
test('ten thousand commands in one turn', async () => {
  const count = long ? 30000 : 10000;
  const answers = await Promise.all(Array.from({ length: count }, (_, n) => Promise.all([c.set(`k${n}`, `v${n}`), c.get(`k${n}`)])));
  isTrue(answers.every(([set, got], n) => set === 'OK' && got === `v${n}`), 'each reply is its command\'s');
  same(await c.dbSize(), count);
});
test('transactions', async () => {
  same(await c.multi().set('a', '1').incr('a').get('a').exec(), ['OK', 2, '2']);
  const mine = await client();
  await mine.watch('a');
  await other.incr('a');
  await throws(() => mine.multi().set('a', '100').exec(), 'watched');
  same(await c.get('a'), '3');
});
test('scanning', async () => {
  await c.mSet(Array.from({ length: 1000 }, (_, n) => [`user:${n}`, 'v']));
  await c.mSet(Array.from({ length: 50 }, (_, n) => [`few:${n}`, 'v']));
  const seen = new Set();
  for await (const keys of c.scanIterator({ MATCH: 'few:*', COUNT: 10 })) for (const key of [keys].flat()) seen.add(key);
  same(seen.size, 50);
  let deleted = 0;
  for await (const keys of c.scanIterator({ MATCH: 'user:*', COUNT: 100 })) {
    const batch = [keys].flat();
    if (batch.length) deleted += await c.unlink(batch);
  }
  same([deleted, await c.dbSize()], [1000, 50]);
});
test('databases and TCP', async () => {
  const five = await client({ socket: { host: '127.0.0.1', port }, database: 5 });
  await five.set('k', 'five');
  same([await c.get('k'), await five.get('k')], [null, 'five']);
  await five.flushDb();
  same(await five.dbSize(), 0);
});
test('a subscription', async () => {
  const listener = await client();
  const heard = [];
  await listener.subscribe('news', (message, channel) => heard.push([channel, message]));
  await listener.pSubscribe('sport.*', (message, channel) => heard.push([channel, message]));
  same([await c.publish('news', 'a'), await c.publish('sport.tennis', 'b'), await c.publish('weather', 'c')], [1, 1, 0]);
  await until(() => heard.length === 2);
  same(heard, [['news', 'a'], ['sport.tennis', 'b']]);
  await listener.unsubscribe('news');
  await listener.pUnsubscribe('sport.*');
  same(await c.pubSubChannels(), []);
});
test('the same over RESP3', async () => {
  const three = await client({ RESP: 3 });
  await three.set('k', 'v');
  same([await three.get('k'), await three.get('none'), await three.incr('n')], ['v', null, 1]);
  same(Object.keys(await three.configGet('maxmemory-policy')), ['maxmemory-policy']);
  isTrue((await three.info('memory')).includes('used_memory:'), 'INFO is text');
  same((await three.sendCommand(['HELLO'])).proto, 3);
});

// Client-side caching: reads come from this process until the server says that the key changed.
function cached() {
  const cache = new redis.BasicClientSideCache({ ttl: 0, maxEntries: 0, evictPolicy: 'LRU' });
  return client({ RESP: 3, clientSideCache: cache }).then((c) => [c, cache]);
}
const changes = {
  'a new value': () => other.set('k', 'new'),
  'a deletion': () => other.del('k'),
  'an increment': () => other.incr('k'),
  'a new time to live': () => other.expire('k', 1000),
  'an expiry': () => other.pExpire('k', 20),
  'a rename': () => other.rename('k', 'l'),
  'a rename onto it': async () => { await other.set('m', '7'); await other.rename('m', 'k'); },
  'a transaction': () => other.multi().set('k', '5').exec(),
  'an overwriting copy': async () => { await other.set('m', '8'); await other.copy('m', 'k', { REPLACE: true }); },
  'FLUSHDB': () => other.flushDb(),
};
for (const [name, change] of Object.entries(changes)) {
  test(`a cached value hears of ${name}`, async () => {
    const [mine, cache] = await cached();
    await other.set('k', '1');
    same(await mine.get('k'), '1');
    const misses = cache.stats().missCount;
    same([await mine.get('k'), await mine.get('k')], ['1', '1']);
    same(cache.stats().missCount, misses, 'read from this process');
    await change();
    await until(async () => (await mine.get('k')) === (await other.get('k')) && cache.stats().missCount > misses);
    await until(async () => (await mine.get('k')) === (await other.get('k')));
    mine.destroy();
  });
}
test('a cached value stays while others change', async () => {
  const [mine, cache] = await cached();
  await other.set('k', '1');
  await mine.get('k');
  for (let n = 0; n < 100; ++n) await other.set(`else:${n}`, 'v');
  await mine.ping();
  const misses = cache.stats().missCount;
  same(await mine.get('k'), '1');
  same(cache.stats().missCount, misses);
});
test('many cached values, all heard of', async () => {
  const [mine, cache] = await cached();
  const keys = Array.from({ length: 2000 }, (_, n) => `k${n}`);
  await other.mSet(keys.map((key) => [key, 'old']));
  same(new Set(await Promise.all(keys.map((key) => mine.get(key)))), new Set(['old']));
  await Promise.all(keys.map((key, n) => other.set(key, n % 2 ? 'odd' : 'even')));
  await until(async () => !(await Promise.all(keys.map((key) => mine.get(key)))).includes('old'));
  same(await Promise.all(keys.map((key) => mine.get(key))), keys.map((_, n) => (n % 2 ? 'odd' : 'even')));
  isTrue(cache.stats().missCount >= 4000, 'each was read again');
});
if (coppice) {
  test('a cached value hears of a prefix that goes', async () => {
    const [mine] = await cached();
    await other.mSet({ 'post:1:a': '1', 'post:1:b': '2', 'post:10:a': '3' });
    same([await mine.get('post:1:a'), await mine.get('post:1:b'), await mine.get('post:10:a')], ['1', '2', '3']);
    same(await other.sendCommand(['DELPREFIX', 'post:1:']), 2);
    await until(async () => (await mine.get('post:1:a')) === null && (await mine.get('post:1:b')) === null);
    same(await mine.get('post:10:a'), '3');
  });
}
test('a connection that breaks takes its cache along', async () => {
  const [mine] = await cached();
  await other.set('k', '1');
  same(await mine.get('k'), '1');
  const id = await mine.clientId();
  await other.set('k', '2');
  await other.clientKill({ filter: 'ID', id });
  await until(async () => (await mine.get('k').catch(() => null)) === '2');
});

runAll(async () => {
  c ??= await client();
  other ??= await client();
  await other.flushAll();
}, () => opened.forEach((each) => each.isOpen && each.destroy()));
