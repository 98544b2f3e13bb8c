import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lineNumberAt, secretsIn } from '../../../src/code/pushes/checks/secret-forms.ts';

// Assembled at run time, because other hosts would reject this file otherwise.
const x = (count: number) => 'aB3'.repeat(count).slice(0, count);
const upper = (count: number) => 'QX7'.repeat(count).slice(0, count);
const hex = (count: number) => 'a1b2'.repeat(count).slice(0, count);
const pem = (kind: string) => `-----BEGIN ${kind}PRIVATE KEY-----`;

describe('secretsIn', () => {
  const cases: [text: string, kind: string | undefined][] = [
    [`glpat-${x(20)}`, 'Personal, project or group access token'],
    [`token = "glpat-${x(27)}.01.${hex(9)}"`, 'Personal, project or group access token'],
    [`url: https://oauth2:glpat-${x(20)}@example.com`, 'Personal, project or group access token'],
    [`glpat-${x(19)}`, undefined],
    [`aglpat-${x(20)}`, undefined],
    [`GLPAT-${x(20)}`, undefined],
    [`gldt-${x(20)}`, 'Deploy token'],
    [`glrt-t1_${x(20)}`, 'Runner authentication token'],
    [`glptt-${hex(40)}`, 'Pipeline trigger token'],
    [`ghp_${x(36)}`, 'GitHub token'],
    [`ghp_${x(37)}`, undefined],
    [`github_pat_${x(22)}_${x(59)}`, 'GitHub fine-grained token'],
    [`AKIA${upper(16)}`, 'AWS access key'],
    [`AKIA${'IOSFODNN7'}EXAMPLE`, undefined],
    [`AKIA${upper(17)}`, undefined],
    [`AIza${x(35)}`, 'Google API key'],
    [`xoxb-1234567890-1234567890-${x(24)}`, 'Slack token'],
    [`https://hooks.slack.com/services/T${upper(8)}/B${upper(8)}/${x(24)}`, 'Slack webhook'],
    [`sk_live_${x(24)}`, 'Stripe key'],
    [`sk_test_${x(24)}`, undefined],
    [`npm_${x(36)}`, 'npm token'],
    ['npm_config_registry_of_some_company_or_other', undefined],
    [`SG.${x(22)}.${x(43)}`, 'SendGrid key'],
    [`dop_v1_${hex(64)}`, 'DigitalOcean token'],
    [`sk-ant-api03-${x(93)}AA`, 'Anthropic key'],
    [`sk-proj-${x(40)}T3BlbkFJ${x(40)}`, 'OpenAI key'],
    ['sk-learn and sk-proj-ects', undefined],
    [`${pem('RSA ')}\n${x(64)}\n`, 'Private key'],
    [`${pem('OPENSSH ')}\r\n${x(64)}`, 'Private key'],
    [`{"private_key": "${pem('')}\\n${x(64)}\\n"}`, 'Private key'],
    [`${pem('ENCRYPTED ')}\n${x(64)}`, undefined],
    [`${pem('RSA ')}\nProc-Type: 4,ENCRYPTED\n`, undefined],
    [`look for ${pem('RSA ')} in a text`, undefined],
    ['-----BEGIN PUBLIC KEY-----\nMIIB', undefined],
    ['', undefined],
  ];
  for (const [text, kind] of cases) {
    it(`${JSON.stringify(text.slice(0, 60))}: ${kind ?? 'none'}`, () =>
      assert.deepEqual(
        secretsIn(text).map((found) => found.kind),
        kind === undefined ? [] : [kind],
      ));
  }

  it('finds several secrets with their lines', () => {
    const text = `first\nglpat-${x(20)} ghp_${x(36)}\n\nnpm_${x(36)}`;
    const found = secretsIn(text).map(({ kind, index }) => [kind, lineNumberAt(text, index)]);
    assert.deepEqual(found, [
      ['Personal, project or group access token', 2],
      ['GitHub token', 2],
      ['npm token', 4],
    ]);
  });

  it('reports at most a hundred secrets', () => {
    assert.equal(secretsIn(`glpat-${x(20)}\n`.repeat(1000)).length, 100);
  });
});
