// Checks of the clients' programs in JavaScript: see ../run.py for the lines that they print.
'use strict';
const assert = require('node:assert/strict');

const cases = [];

exports.socket = process.env.COPPICE_SOCKET;
exports.port = Number(process.env.COPPICE_PORT);
exports.coppice = process.env.COPPICE_SERVER !== 'redis';
exports.long = process.env.COPPICE_LONG === '1';
exports.same = assert.deepStrictEqual;
exports.true = (right, what) => assert.ok(right, what);
exports.throws = (body, words) => assert.rejects(body, (error) => String(error.message).includes(words) || assert.fail(`${error}`));
exports.test = (name, body) => cases.push([name, body]);

// Waits for what comes by itself.
exports.until = async (condition, seconds = 60) => {
  for (const end = Date.now() + seconds * 1000; !(await condition()); await new Promise((done) => setTimeout(done, 2))) {
    assert.ok(Date.now() < end, `it did not come within ${seconds} s`);
  }
};

// Runs the tests in their order, each after `before`, then `after`, and ends the program.
exports.runAll = async (before, after) => {
  let failed = false;
  for (const [name, body] of cases) {
    try {
      await before();
      await body();
      console.log(`ok ${name}`);
    } catch (error) {
      failed = true;
      console.log(`not ok ${name}: ${String(error.message).replaceAll('\n', ' ')}\n${error.stack}`);
    }
  }
  await after();
  process.exit(failed ? 1 : 0);
};
