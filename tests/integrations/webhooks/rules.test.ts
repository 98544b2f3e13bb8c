import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { isBranchFilter, matchesBranch } from '../../../src/integrations/webhooks/branch-filter.ts';
import { deliveryHeaders, withoutSecrets } from '../../../src/integrations/webhooks/deliveries/headers.ts';
import { withoutSecretsOf } from '../../../src/integrations/webhooks/deliveries/masking.ts';
import { afterFailure, alertStatus, type Health, healthy } from '../../../src/integrations/webhooks/disabling.ts';
import { optionsPart } from '../../../src/integrations/webhooks/payloads/push.ts';
import { filledUrl } from '../../../src/integrations/webhooks/rules.ts';
import { fillTemplate, UnusableTemplate } from '../../../src/integrations/webhooks/template.ts';

describe('branch filters', () => {
  const table: [string | null, string, string, boolean][] = [
    [null, 'wildcard', 'main', true],
    ['', 'wildcard', 'main', true],
    ['main', 'wildcard', 'main', true],
    ['main', 'wildcard', 'maintenance', false],
    ['feature/*', 'wildcard', 'feature/a/b', true],
    ['*-stable', 'wildcard', '1-stable', true],
    ['^(main|next)$', 'regex', 'next', true],
    ['^(main|next)$', 'regex', 'nextest', false],
    ['main', 'all_branches', 'other', true],
  ];
  for (const [filter, strategy, branch, taken] of table) {
    it(`${strategy} ${filter} on ${branch}: ${taken}`, () => {
      const hook = { push_events_branch_filter: filter, branch_filter_strategy: strategy };
      assert.equal(matchesBranch(hook, branch), taken);
    });
  }

  it('are rejected if invalid', () => {
    const regex = (filter: string) =>
      isBranchFilter({ push_events_branch_filter: filter, branch_filter_strategy: 'regex' });
    assert.equal(regex('('), false);
    assert.equal(regex('a{1000}{1000}'), false);
    assert.equal(regex('^a+$'), true);
    assert.equal(isBranchFilter({ push_events_branch_filter: '/x y', branch_filter_strategy: 'wildcard' }), false);
  });
});

describe('webhook health', () => {
  it('backs off from the fourth failure on, and is disabled by the fortieth', () => {
    let health: Health = healthy;
    const pauses: number[] = [];
    for (let failure = 1; failure <= 40; failure++) {
      health = afterFailure(health, 0);
      if (failure <= 3) assert.equal(alertStatus(health, 0), 'executable');
      else if (failure < 40) assert.equal(alertStatus(health, 0), 'temporarily_disabled');
      pauses.push((health.disabled_until ?? 0) / 60_000);
    }
    assert.deepEqual(pauses.slice(0, 8), [0, 0, 0, 1, 2, 4, 8, 16]);
    assert.equal(pauses.at(-1), 24 * 60);
    assert.equal(alertStatus(health, Number.MAX_SAFE_INTEGER), 'disabled');
  });

  it('is executable again after the backoff', () => {
    const health = { recent_failures: 4, backoff_count: 1, disabled_until: 1000 };
    assert.equal(alertStatus(health, 999), 'temporarily_disabled');
    assert.equal(alertStatus(health, 1000), 'executable');
  });
});

describe('custom templates', () => {
  const payload = { object_kind: 'push', project: { name: 'A "b"' }, commits: [{ id: 'x' }], count: 3, none: null };
  const table: [string, unknown][] = [
    ['{"kind": "{{object_kind}}"}', { kind: 'push' }],
    ['{"name": "{{ project.name }}!"}', { name: 'A "b"!' }],
    ['{"n": {{count}}, "first": {{commits.0}}, "all": {{commits}}}', { n: 3, first: { id: 'x' }, all: [{ id: 'x' }] }],
    ['{"missing": "{{a.b}}", "none": {{none}}, "own": "{{constructor.name}}"}', { missing: '', none: null, own: '' }],
  ];
  for (const [template, filled] of table)
    it(template, () => assert.deepEqual(fillTemplate(template, payload, 1000), filled));
  it('are rejected if they render invalid JSON', () => {
    assert.throws(() => fillTemplate('{"a": {{missing}}}', payload, 1000), UnusableTemplate);
  });
  it('cannot exceed the maximum payload size by repeating a value', () => {
    const long = { text: 'x'.repeat(1_000_000) };
    const template = `[${Array(400).fill('"{{text}}"').join()}]`;
    assert.throws(() => fillTemplate(template, long, 25_000_000), { message: 'Webhook payload is too large' });
  });
});

describe('delivery headers', () => {
  const envelope = {
    event: 'Push Hook',
    eventUuid: 'e',
    deliveryUuid: 'd',
    idempotencyKey: 'i',
    instance: 'https://forge.example',
    version: '1.2.3',
    token: 'secret',
    signingToken: null,
    custom: { 'X-Own': 'mine', 'x-gitlab-event': 'forged' },
  };

  it('have both prefixes, the signature, and custom headers that override nothing', () => {
    const headers = deliveryHeaders('{}', envelope);
    assert.equal(headers['X-Gitlab-Event'], 'Push Hook');
    assert.equal(headers['X-Service-Event'], 'Push Hook');
    assert.equal(headers['x-gitlab-event'], undefined);
    assert.equal(headers['X-Own'], 'mine');
    const signature = `sha256=${createHmac('sha256', 'secret').update('{}').digest('hex')}`;
    assert.equal(headers['X-Gitlab-Signature'], signature);
    const logged = withoutSecrets(headers, envelope.custom);
    assert.equal(JSON.stringify(logged).includes('secret'), false);
    assert.equal(logged['X-Own'], '[REDACTED]');
    assert.equal(logged['X-Service-Signature'], '[REDACTED]');
    assert.equal(headers['webhook-signature'], undefined);
  });

  it('are signed with the signing token as Standard Webhooks require', () => {
    const key = Buffer.alloc(32, 7);
    const signed = { ...envelope, signingToken: `whsec_${key.toString('base64')}` };
    const headers = deliveryHeaders('{}', { ...signed, custom: { 'Webhook-Id': 'forged' } });
    assert.equal(headers['webhook-id'], 'i');
    assert.equal(headers['Webhook-Id'], undefined);
    assert.match(headers['webhook-timestamp'] ?? '', /^\d{10}$/);
    const text = `i.${headers['webhook-timestamp']}.{}`;
    const expected = `v1,${createHmac('sha256', key).update(text).digest('base64')}`;
    assert.equal(headers['webhook-signature'], expected);
    assert.equal(withoutSecrets(headers, {})['webhook-signature'], expected);
  });
});

describe('payload helpers', () => {
  it('fill the variables of a URL', () => {
    assert.equal(filledUrl('https://a.example/{one}/{two}', { one: '1' }), 'https://a.example/1/{two}');
  });
  it('parse push options', () => {
    assert.deepEqual(optionsPart(['ci.skip', 'ci.variable=A=1', 'nonsense']), {
      ci: { skip: true, variable: 'A=1' },
    });
  });
});

describe('masked outcomes', () => {
  const secrets = {
    url: 'https://{Tenant}.example.com/a/{key}?x=1',
    variables: { Tenant: 'Sülze', key: 'top secret/1' },
    headers: { 'X-Own': 'classified' },
    token: 'hush-hush',
  };
  const outcome = { status: null, headers: {}, body: '', failure: null, again: true, durationMs: 1 };
  const table: [string, string][] = [
    ['getaddrinfo ENOTFOUND xn--slze-0ra.example.com', 'getaddrinfo ENOTFOUND [REDACTED]'],
    ['Cannot POST /a/top%20secret%2F1?x=1', 'Cannot POST /a/[REDACTED]?x=1'],
    ['Cannot POST /a/top%20secret/1?x=1', 'Cannot POST [REDACTED]'],
    ['you sent HUSH-HUSH and classified', 'you sent [REDACTED] and [REDACTED]'],
    ['connect ECONNREFUSED 192.0.2.1:443', 'connect ECONNREFUSED 192.0.2.1:443'],
  ];
  for (const [text, kept] of table) {
    it(`contain ${kept}`, () => {
      const masked = withoutSecretsOf(secrets, { ...outcome, failure: text, body: text, headers: { 'X-Echo': text } });
      assert.deepEqual([masked.failure, masked.body, masked.headers], [kept, kept, { 'X-Echo': kept }]);
    });
  }
});
