import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  allowsFailure,
  bridgeStatus,
  compositeStatus,
  enqueuedPipeline,
  hasWarnings,
  isRetryable,
  type JobEvent,
  redundantJobs,
  retriesAutomatically,
  type Status,
  statuses,
  type TransitionFacts,
  transition,
} from '../../../src/ci/states/public.ts';

/** Parses statuses; `failed!` marks an allowed failure. */
const parts = (text: string) =>
  text
    .split(' ')
    .filter(Boolean)
    .map((word) => ({ status: word.replace('!', '') as Status, allowFailure: word.endsWith('!') }));

describe('composite status', () => {
  const cases: readonly (readonly [string, Status | null, (Status | null)?])[] = [
    ['', null],
    ['success', 'success'],
    ['success success', 'success'],
    ['success skipped', 'success', 'skipped'],
    ['skipped', 'skipped', 'skipped'],
    ['skipped manual!', 'skipped', 'skipped'],
    ['success manual!', 'success', 'skipped'],
    ['success failed!', 'success', 'success'],
    ['failed!', 'success', 'success'],
    ['canceled!', 'success', 'success'],
    ['success failed', 'failed', 'failed'],
    ['failed canceled', 'failed', 'failed'],
    ['success canceled', 'canceled', 'canceled'],
    ['canceled skipped', 'canceled', 'skipped'],
    ['created', 'created'],
    ['created failed!', 'created'],
    ['created manual!', 'created', 'skipped'],
    ['created success', 'running'],
    ['created failed', 'running'],
    ['created pending', 'pending'],
    ['pending', 'pending'],
    ['pending skipped', 'pending', 'skipped'],
    ['pending success', 'running'],
    ['running', 'running'],
    ['running failed', 'running'],
    ['running manual', 'running'],
    ['success manual', 'manual'],
    ['manual', 'manual'],
    ['failed manual', 'manual'],
    ['created manual', 'manual'],
    ['success scheduled', 'scheduled'],
    ['manual scheduled', 'manual'],
    ['preparing', 'preparing'],
    ['preparing failed!', 'preparing'],
    ['preparing success', 'preparing'],
    ['preparing created', 'preparing'],
    ['waiting_for_resource', 'waiting_for_resource'],
    ['waiting_for_resource running', 'running'],
    ['waiting_for_resource manual', 'waiting_for_resource'],
    ['waiting_for_callback success', 'waiting_for_callback'],
    ['canceling', 'canceling'],
    ['canceling success', 'canceling'],
    ['canceling created', 'running'],
    ['canceling running', 'running'],
    ['canceling failed', 'canceling'],
  ];
  for (const [set, plain, needs = plain] of cases) {
    it(`${set || 'nothing'}: ${plain}${needs === plain ? '' : `, as needs ${needs}`}`, () => {
      assert.deepEqual([compositeStatus(parts(set)), compositeStatus(parts(set), true)], [plain, needs]);
      assert.equal(compositeStatus(parts(set).reverse()), plain);
    });
  }
  it('detects warnings', () => {
    assert.deepEqual(
      ['success', 'success failed!', 'canceled!', 'failed', 'manual!'].map((set) => hasWarnings(parts(set))),
      [false, true, true, false, false],
    );
  });
});

describe('job transitions', () => {
  const line = (text: string) => text.split(' ') as Status[];
  const before = 'created waiting_for_resource preparing waiting_for_callback pending running';
  const cases: readonly (readonly [JobEvent, TransitionFacts, string, Status])[] = [
    ['enqueue', {}, 'created skipped manual scheduled', 'pending'],
    [
      'enqueue',
      { resourceGroup: true, prerequisites: true },
      'created skipped manual scheduled',
      'waiting_for_resource',
    ],
    ['enqueue', { prerequisites: true }, 'created skipped manual scheduled', 'preparing'],
    ['enqueue_scheduled', { due: true }, 'scheduled', 'pending'],
    ['enqueue_waiting_for_resource', {}, 'waiting_for_resource', 'pending'],
    ['enqueue_waiting_for_resource', { prerequisites: true }, 'waiting_for_resource', 'preparing'],
    ['enqueue_preparing', {}, 'preparing', 'pending'],
    ['actionize', {}, 'created', 'manual'],
    ['schedule', {}, 'created', 'scheduled'],
    ['unschedule', {}, 'scheduled', 'manual'],
    ['process', {}, 'skipped manual', 'created'],
    ['run', {}, 'pending', 'running'],
    ['skip', {}, 'created waiting_for_resource preparing pending', 'skipped'],
    ['success', {}, before, 'success'],
    ['drop', {}, `${before} manual scheduled`, 'failed'],
    ['cancel', {}, `${before} manual scheduled`, 'canceled'],
    ['force_cancel', {}, 'canceling', 'canceled'],
  ];
  for (const [event, facts, sources, expected] of cases) {
    it(`${event} ${JSON.stringify(facts)}`, () => {
      for (const status of statuses) {
        const known = line(sources).includes(status);
        if (!known && status === 'canceling') continue;
        assert.equal(transition(status, event, facts), known ? expected : null, status);
      }
    });
  }
  it('ends a job that is being canceled as canceled, whatever the runner reports', () => {
    const ends = (['success', 'drop', 'force_cancel', 'cancel', 'run'] as const).map((event) =>
      transition('canceling', event),
    );
    assert.deepEqual(ends, ['canceled', 'canceled', 'canceled', null, null]);
  });
  it('lets runners with graceful cancellation finish canceling', () => {
    assert.deepEqual(
      (['running', 'pending', 'success'] as const).map((status) => transition(status, 'cancel', { graceful: true })),
      ['canceling', 'canceled', null],
    );
  });
  it('does not start a delayed job before its time', () => {
    assert.equal(transition('scheduled', 'enqueue_scheduled'), null);
  });
  it('gets the new status of a pipeline whose jobs are enqueued', () => {
    const woken = (['created', 'success', 'failed', 'canceled', 'running', 'manual', 'skipped'] as const).map(
      enqueuedPipeline,
    );
    assert.deepEqual(woken, ['pending', 'running', 'running', 'running', 'running', 'pending', 'pending']);
  });
});

describe('bridge status', () => {
  const cases: readonly (readonly ['depend' | 'mirror' | null, Status, Status | null])[] = [
    [null, 'created', 'success'],
    ['depend', 'running', null],
    ['depend', 'success', 'success'],
    ['depend', 'failed', 'failed'],
    ['depend', 'skipped', 'failed'],
    ['depend', 'canceled', 'canceled'],
    ['depend', 'manual', null],
    ['mirror', 'skipped', 'skipped'],
    ['mirror', 'manual', 'manual'],
    ['mirror', 'running', null],
  ];
  for (const [strategy, downstream, expected] of cases) {
    it(`${strategy}: ${downstream}`, () => assert.equal(bridgeStatus(strategy, downstream), expected));
  }
});

describe('job retries', () => {
  const rule = (max: number, when: string[] = ['always'], exitCodes: number[] = []) => ({ max, when, exitCodes });
  const failure = (reason: string, retries = 0, exitCode: number | null = null) => ({ reason, retries, exitCode });
  const cases: readonly (readonly [string, boolean, boolean])[] = [
    ['does not retry without a rule', retriesAutomatically(rule(0), failure('script_failure')), false],
    ['retries while attempts are left', retriesAutomatically(rule(1), failure('script_failure')), true],
    ['does not retry when attempts are used up', retriesAutomatically(rule(1), failure('script_failure', 1)), false],
    [
      'does not retry for another failure reason',
      retriesAutomatically(rule(2, ['runner_system_failure']), failure('script_failure')),
      false,
    ],
    [
      'retries for a listed failure reason',
      retriesAutomatically(rule(2, ['script_failure']), failure('script_failure')),
      true,
    ],
    [
      'retries for a listed exit code',
      retriesAutomatically(rule(2, [], [137]), failure('script_failure', 0, 137)),
      true,
    ],
    [
      'does not retry for another exit code',
      retriesAutomatically(rule(2, [], [137]), failure('script_failure', 0, 1)),
      false,
    ],
    [
      'retries if either the reason or the exit code matches',
      retriesAutomatically(rule(2, ['api_failure'], [9]), failure('api_failure', 0, 1)),
      true,
    ],
    ['does not retry permanent failures', retriesAutomatically(rule(2), failure('missing_dependency_failure')), false],
    ['retries server failures without a rule', retriesAutomatically(rule(0), failure('scheduler_failure', 1)), true],
    ['limits retries of server failures', retriesAutomatically(rule(0), failure('scheduler_failure', 2)), false],
  ];
  for (const [name, actual, expected] of cases) it(name, () => assert.equal(actual, expected));

  const candidate = { status: 'failed', retried: false, archived: false, failureReason: null, bridge: false } as const;
  it('selects the jobs that users may retry', () => {
    const actual = statuses.filter((status) => isRetryable({ ...candidate, status }));
    assert.deepEqual(actual, ['success', 'failed', 'canceling', 'canceled']);
    assert.equal(isRetryable({ ...candidate, retried: true }), false);
    assert.equal(isRetryable({ ...candidate, archived: true }), false);
    assert.equal(isRetryable({ ...candidate, failureReason: 'deployment_rejected' }), false);
    assert.equal(isRetryable({ ...candidate, failureReason: 'pipeline_loop_detected' }), true);
    assert.equal(isRetryable({ ...candidate, failureReason: 'pipeline_loop_detected', bridge: true }), false);
  });
  it('allows failures unconditionally or by exit code', () => {
    assert.deepEqual(
      [
        allowsFailure(true, [], 1),
        allowsFailure(false, [3], 3),
        allowsFailure(false, [3], 1),
        allowsFailure(false, [3], null),
      ],
      [true, true, false, false],
    );
  });
});

describe('jobs canceled by a newer commit', () => {
  const jobs = (text: string) =>
    text
      .split(' ')
      .map((word, id) => ({ id, status: word.replace('~', '') as Status, interruptible: word.endsWith('~') }));
  it('cancels nothing in mode none', () => assert.deepEqual(redundantJobs('none', jobs('running~ created')), []));
  it('conservative mode cancels all jobs unless an uninterruptible one has started', () => {
    assert.deepEqual(redundantJobs('conservative', jobs('success~ running~ pending created')), [1, 2, 3]);
    assert.deepEqual(redundantJobs('conservative', jobs('success running~ created')), []);
    assert.deepEqual(redundantJobs('conservative', jobs('running created~')), []);
  });
  it('interruptible mode cancels only interruptible jobs', () => {
    assert.deepEqual(redundantJobs('interruptible', jobs('running running~ created~ success~')), [1, 2]);
  });
});
