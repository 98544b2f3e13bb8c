import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger, requestLog } from '../../src/platform/log.ts';

function logged(act: (logger: ReturnType<typeof createLogger>) => void, logLevel = 'info'): Record<string, unknown>[] {
  const lines: string[] = [];
  act(createLogger({ logLevel }, { write: (line) => void lines.push(line) }));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

test('a line contains its level by name and its time in ISO 8601', () => {
  const [line] = logged((logger) => logger.warn({ pages: 3 }, 'counted'));
  assert.equal(line?.level, 'warn');
  assert.equal(line?.msg, 'counted');
  assert.equal(line?.pages, 3);
  assert.match(String(line?.time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});

test('the log level filters lines', () => {
  const act = (logger: ReturnType<typeof createLogger>) => {
    logger.info('said');
    logger.error('shouted');
  };
  assert.deepEqual(
    logged(act, 'error').map((line) => line.msg),
    ['shouted'],
  );
  assert.deepEqual(logged(act, 'silent'), []);
});

test('authentication headers are hidden in any case and at any depth', () => {
  const headers = {
    authorization: 'Bearer s3cret',
    'PRIVATE-TOKEN': 's3cret',
    'Job-Token': 's3cret',
    'deploy-token': 's3cret',
    cookie: 'session=s3cret',
    'set-cookie': ['session=s3cret'],
    'proxy-authorization': 's3cret',
    accept: 'application/json',
  };
  const [line] = logged((logger) => logger.info({ headers, request: { headers } }));
  assert.doesNotMatch(JSON.stringify(line), /s3cret/);
  assert.deepEqual(Object.values(line?.headers ?? {}).at(-1), 'application/json');
});

test('secret fields are hidden in nested objects and lists', () => {
  const body = { user: { name: 'eve', password: 's3cret' }, hooks: [{ token: 's3cret', url: 'http://x' }] };
  const [line] = logged((logger) => logger.info({ body }));
  assert.doesNotMatch(JSON.stringify(line), /s3cret/);
  assert.deepEqual(line?.body, {
    user: { name: 'eve', password: '[hidden]' },
    hooks: [{ token: '[hidden]', url: 'http://x' }],
  });
});

test('secrets are removed from error messages, and the stack is kept', () => {
  const failure = Object.assign(new Error('GET http://a:s3cret@b/?token=s3cret'), { code: 'EFAIL', config: 's3cret' });
  const [line] = logged((logger) => logger.error({ err: failure }, 'failed'));
  const err = line?.err as Record<string, string>;
  assert.doesNotMatch(JSON.stringify(line), /s3cret/);
  assert.equal(err.message, 'GET http://[hidden]@b/?token=[hidden]');
  assert.equal(err.code, 'EFAIL');
  assert.match(err.stack ?? '', /log\.test\.ts/);
});

test('an error logged without text is scrubbed too', () => {
  const [line] = logged((logger) => logger.error(new Error('?token=s3cret')));
  assert.doesNotMatch(JSON.stringify(line), /s3cret/);
});

test('URLs are scrubbed in messages and in any field (GHSA-x9p5-w45c-7ffc)', () => {
  const [line] = logged((logger) => logger.info({ target: 'http://a:s3cret@b' }, 'to %s', 'http://b/?token=s3cret'));
  assert.equal(line?.msg, 'to http://b/?token=[hidden]');
  assert.equal(line?.target, 'http://[hidden]@b');
});

test('request URLs are scrubbed, and server errors are logged at level error', () => {
  const request = { requestId: 'r1', method: 'GET', duration: 1.5, remote: '127.0.0.1' };
  const lines = logged((logger) => {
    const log = requestLog(logger);
    log({ ...request, url: '/api/v4/user?private_token=s3cret', status: 200 });
    log({ ...request, url: '/boom', status: 500 });
  });
  assert.deepEqual(
    lines.map(({ level, msg, url, status }) => ({ level, msg, url, status })),
    [
      { level: 'info', msg: 'request', url: '/api/v4/user?private_token=[hidden]', status: 200 },
      { level: 'error', msg: 'request', url: '/boom', status: 500 },
    ],
  );
});

test('user agents are logged without tokens and truncated', () => {
  const agents = ['curl/8 glpat-abcdefghijklmnopqrst', 'x'.repeat(60_000)];
  const lines = logged((logger) => {
    for (const agent of agents) {
      requestLog(logger)({ requestId: '1', method: 'GET', url: '/', status: 200, duration: 1, remote: '::1', agent });
    }
  });
  assert.deepEqual(
    lines.map(({ agent }) => agent),
    ['curl/8 glpat-[hidden]', 'x'.repeat(500)],
  );
});
