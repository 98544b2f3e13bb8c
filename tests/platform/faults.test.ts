import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { armFault, fault } from '../../src/platform/faults.ts';

test('a fault point runs its armed action until disarmed', () => {
  let hits = 0;
  fault('test.point');
  const disarm = armFault('test.point', () => {
    hits += 1;
  });
  fault('test.point');
  fault('test.other');
  disarm();
  fault('test.point');
  assert.equal(hits, 1);
});

test('disarming an earlier action keeps a later one', () => {
  const disarmFirst = armFault('test.point', () => assert.fail('replaced'));
  const disarm = armFault('test.point', () => {
    throw new Error('crash');
  });
  disarmFirst();
  assert.throws(() => fault('test.point'), /crash/);
  disarm();
});

test('HEARTH_FAULT kills the process at the n-th occurrence of a step', () => {
  const module = new URL('../../src/platform/faults.ts', import.meta.url).href;
  const script = `
    import { writeSync } from 'node:fs';
    import { fault } from ${JSON.stringify(module)};
    for (let step = 1; step <= 3; step++) {
      writeSync(1, String(step));
      fault('test.point');
    }`;
  const run = (point: string) =>
    spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      env: { ...process.env, HEARTH_FAULT: point },
      encoding: 'utf8',
    });
  for (const [point, signal, steps] of [
    ['test.point', 'SIGKILL', '1'],
    ['test.point:2', 'SIGKILL', '12'],
    ['test.other', null, '123'],
    ['', null, '123'],
  ] as const) {
    const child = run(point);
    assert.equal(child.signal, signal, child.stderr);
    assert.equal(child.stdout, steps);
  }
});
