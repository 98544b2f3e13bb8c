import { toggle } from '../../src/config/setting.ts';
import { defineCommand } from '../command.ts';
import type { Finding } from '../doctor/finding.ts';

const marks: Record<Finding['status'], string> = { ok: 'ok     ', warning: 'warning', failed: 'FAILED ' };

/** `hearth doctor` */
export const command = defineCommand({
  about: 'Checks what Hearth needs, and suggests how to fix each problem. Exits with 1 if a check failed.',
  examples: ['hearth doctor', 'hearth doctor --data /srv/hearth --json'],
  flags: { json: toggle(undefined, 'Print the findings as one JSON document.') },
  async run({ config, flags }) {
    const { examine } = await import('../doctor/examine.ts');
    const findings = await examine(config, process.env);
    console.log(flags.json ? JSON.stringify(findings, null, 2) : findings.map(line).join('\n'));
    return findings.some(({ status }) => status === 'failed') ? 1 : 0;
  },
});

function line({ check, status, detail, advice }: Finding): string {
  const found = `${marks[status]}  ${check.padEnd(9)} ${detail}`;
  return advice === undefined ? found : `${found}\n${' '.repeat(19)}${advice}`;
}
