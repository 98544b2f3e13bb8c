import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, test } from 'node:test';
import { loadConfig } from '../../src/config/config.ts';
import { issueRoot, pem } from '../support/x509.ts';

const folder = mkdtempSync(join(tmpdir(), 'authorities-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string, content: string) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

test('certificate files are validated before the server starts', () => {
  const good = file('good.pem', `# ours\n${pem(issueRoot())}${pem(issueRoot())}`);
  assert.equal(loadConfig(['--signature-ca', relative(process.cwd(), good)]).signatureCa, good);
  const block = '-----BEGIN CERTIFICATE-----\nbm9uc2Vuc2U=\n-----END CERTIFICATE-----\n';
  for (const bad of [join(folder, 'missing.pem'), folder, file('empty.pem', ''), file('broken.pem', block)]) {
    assert.throws(() => loadConfig(['--signature-ca', bad]), /--signature-ca: expected a file with certificates/, bad);
  }
});
