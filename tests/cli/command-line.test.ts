import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { commands } from '../../bin/command-line.ts';
import { settings } from '../../src/config/config.ts';
import { flagOf } from '../../src/config/read.ts';
import { hearth } from './hearth.ts';

for (const argv of [['--help'], ['-h'], ['help']]) {
  test(`hearth ${argv} lists every command`, async () => {
    const { code, stdout } = await hearth(argv);
    assert.equal(code, 0);
    for (const [name, { summary }] of Object.entries(commands)) {
      assert.ok(stdout.includes(name) && stdout.includes(summary), name);
    }
  });
}

for (const name of Object.keys(commands)) {
  test(`hearth ${name} --help prints usage and examples`, async () => {
    const { code, stdout } = await hearth([...name.split(' '), '--help']);
    assert.equal(code, 0);
    assert.ok(stdout.startsWith(`Usage: hearth ${name} [flags]`));
    assert.match(stdout, /Examples:\n {2}\S/);
  });
}

test('hearth serve --help lists every setting with its variable', async () => {
  const { stdout } = await hearth(['serve', '--help']);
  for (const [name, { env }] of Object.entries(settings)) {
    assert.ok(stdout.includes(flagOf(name)) && stdout.includes(`(${env})`), name);
  }
});

test('hearth --version prints the version of the package', async () => {
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
  assert.equal((await hearth(['--version'])).stdout, `hearth ${version}`);
});

const refused: [argv: string[], message: RegExp][] = [
  [['srve'], /hearth srve: no such command; did you mean serve\?/],
  [['frobnicate'], /no such command; hearth --help lists them/],
  [
    ['admin'],
    /missing subcommand: admin create-user, admin create-token, admin reset-password, admin disable-two-factor/,
  ],
  [['admin', 'create-usr'], /did you mean admin create-user\?/],
  [['serve', '--prot', '1', '--port', 'x'], /mistakes:\n {2}--prot: .*--port\?\n {2}--port: expected a whole number/],
  [['doctor', '--jsn'], /--jsn: no such flag; did you mean --json\?/],
  [['migrate', 'now'], /now: unexpected argument/],
  [['serve', '--ephemeral', '--data', 'x'], /--ephemeral: has its own data directory/],
];

for (const [argv, message] of refused) {
  test(`hearth ${argv.join(' ')} is rejected`, async () => {
    const { code, stdout, stderr } = await hearth(argv);
    assert.equal(code, 2);
    assert.match(stderr, message);
    assert.equal(stdout, '');
  });
}

test('mistakes in the environment are reported in the same list', async () => {
  const { code, stderr } = await hearth(['doctor', '--port', 'x'], { HEARTH_WORKERS: 'many' });
  assert.equal(code, 2);
  assert.match(stderr, /--port: .*\n.*HEARTH_WORKERS: /);
});
