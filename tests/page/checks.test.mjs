import assert from 'node:assert/strict';
import { test } from 'node:test';

import { CHECKS, equal, median, pattern, runChecks } from '../../src/doctor/page/checks.js';

test('a pattern is the same for a seed and differs between seeds', () => {
  assert.ok(equal(pattern(1000, 7), pattern(1000, 7)));
  assert.ok(!equal(pattern(1000, 7), pattern(1000, 8)));
  assert.ok(!equal(pattern(10), pattern(11)));
});

test('the median is a number that was measured', () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 3, 2]), 2);
  assert.equal(median([10, 9]), 9);
});

test('without a link every check fails, and only the first says why', async () => {
  const setup = { linked: () => Promise.reject(new Error('no link within 1 s')) };
  const results = await runChecks(setup, {});
  assert.equal(results.length, CHECKS.length);
  assert.deepEqual(results[0], { name: 'link set-up', ok: false, reason: 'no link within 1 s' });
  assert.ok(results.slice(1).every(({ ok, reason }) => !ok && reason.startsWith('not run')));
});

test('a check that fails or hangs does not stop the others', { timeout: 10_000 }, async () => {
  const setup = { linked: async () => ({ link: {} }) };
  const checks = [
    { name: 'fails', run: async () => Promise.reject(new Error('broken')) },
    { name: 'hangs', run: () => new Promise(() => {}) },
    { name: 'passes', run: async () => ({ value: 1, unit: 'ms' }) },
  ];
  const seen = [];
  const results = await runChecks(setup, {}, { checks, limit: 20, onResult: (result, index) => seen.push(index) });
  assert.deepEqual(results, [
    { name: 'fails', ok: false, reason: 'broken' },
    { name: 'hangs', ok: false, reason: 'it took more than 0.02 s' },
    { name: 'passes', ok: true, figure: { value: 1, unit: 'ms' } },
  ]);
  assert.deepEqual(seen, [0, 1, 2]);
});
