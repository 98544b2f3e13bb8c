import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { generatedPages } from '../../bin/generated-pages.ts';
import { type Config, ConfigError, loadConfig, settings } from '../../src/config/config.ts';

type Accepted = [argv: string[], env: NodeJS.ProcessEnv, name: keyof Config, value: unknown];
const accepted: Accepted[] = [
  [[], {}, 'port', 8080],
  [[], { HEARTH_PORT: '9000' }, 'port', 9000],
  [[], { HEARTH_PORT: '' }, 'port', 8080],
  [['--port', '9001'], { HEARTH_PORT: '9000' }, 'port', 9001],
  [['--port=0'], {}, 'port', 0],
  [['--port', '1', '--port', '2'], {}, 'port', 2],
  [[], {}, 'data', resolve('data')],
  [['--data', 'else/where'], {}, 'data', resolve('else/where')],
  [[], {}, 'url', undefined],
  [['--url', 'https://forge.example.com/'], {}, 'url', 'https://forge.example.com'],
  [[], {}, 'databaseUrl', undefined],
  [[], { DATABASE_URL: 'postgresql:///hearth' }, 'databaseUrl', 'postgresql:///hearth'],
  [[], {}, 'sshPort', undefined],
  [['--ssh-port', '2222'], {}, 'sshPort', 2222],
  [['--allow-local-egress'], {}, 'allowLocalEgress', true],
  [['--allow-local-egress=no'], { HEARTH_ALLOW_LOCAL_EGRESS: '1' }, 'allowLocalEgress', false],
  [['--no-allow-local-egress'], { HEARTH_ALLOW_LOCAL_EGRESS: 'yes' }, 'allowLocalEgress', false],
  [[], { HEARTH_ALLOW_LOCAL_EGRESS: 'TRUE' }, 'allowLocalEgress', true],
  [[], { HEARTH_TRUSTED_PROXIES: '10.0.0.0/8, ::1' }, 'trustedProxies', ['10.0.0.0/8', '::1']],
  [['--metrics-allow='], {}, 'metricsAllow', []],
  [[], {}, 'maxBody', 10 * 1024 ** 2],
  [[], { HEARTH_MAX_BODY: '2G' }, 'maxBody', 2 * 1024 ** 3],
  [[], { HEARTH_MAX_BODY: '1000' }, 'maxBody', 1000],
  [[], { HEARTH_PASSWORD_LOCK: '90' }, 'passwordLock', 90_000],
  [[], { HEARTH_PASSWORD_LOCK: '250ms' }, 'passwordLock', 250],
  [[], {}, 'deletionDelay', 30 * 86_400_000],
  [[], {}, 'archiveRate', { count: 120, period: 60_000 }],
  [[], {}, 'largeRequestRate', { count: 3, period: 30_000 }],
  [[], {}, 'largeBlobRate', { count: 5, period: 60_000 }],
  [[], {}, 'changelogRate', { count: 60, period: 60_000 }],
  [[], {}, 'healthRate', { count: 60, period: 3_600_000 }],
  [[], {}, 'anonymousRate', undefined],
  [[], {}, 'endpointLimits', false],
  [[], { HEARTH_ARCHIVE_RATE: '100/h' }, 'archiveRate', { count: 100, period: 3_600_000 }],
  [[], { HEARTH_ARCHIVE_RATE: '0' }, 'archiveRate', undefined],
  [[], {}, 'userRate', undefined],
  [[], { HEARTH_LOG_LEVEL: 'DEBUG' }, 'logLevel', 'debug'],
  [[], { HEARTH_ROOT_PASSWORD: ' spaces kept ' }, 'rootPassword', ' spaces kept '],
];

for (const [argv, env, name, value] of accepted) {
  test(`${JSON.stringify(env)} ${argv.join(' ')} gives ${name} ${JSON.stringify(value)}`, () => {
    assert.deepEqual(loadConfig(argv, env)[name], value);
  });
}

const refused: [argv: string[], env: NodeJS.ProcessEnv, mistake: string][] = [
  [['--prot', '1'], {}, '--prot: no such flag; did you mean --port?'],
  [['--utterly-strange'], {}, '--utterly-strange: no such flag'],
  [['-p'], {}, '-p: no such flag'],
  [['--__proto__=1'], {}, '--__proto__: no such flag'],
  [['--no-port'], {}, '--no-port: no such flag'],
  [['--port'], {}, '--port: expected a value after it'],
  [['--port', '--host', 'x'], {}, '--port: expected a value after it'],
  [['--port', '65536'], {}, '--port: expected a whole number from 0 to 65535, not "65536"'],
  [[], { HEARTH_PORT: '-1' }, 'HEARTH_PORT: expected a whole number from 0 to 65535, not "-1"'],
  // Set by Kubernetes for a service called "hearth".
  [
    [],
    { HEARTH_PORT: 'tcp://10.0.0.1:80' },
    'HEARTH_PORT: expected a whole number from 0 to 65535, not "tcp://10.0.0.1:80"',
  ],
  [['--url', 'forge'], {}, '--url: expected an address such as https://forge.example.com, with no path, not "forge"'],
  [
    ['--url', 'http://a/b'],
    {},
    '--url: expected an address such as https://forge.example.com, with no path, not "http://a/b"',
  ],
  [['--allow-local-egress=maybe'], {}, '--allow-local-egress: expected true or false, not "maybe"'],
  [['--max-body', '10 apples'], {}, '--max-body: expected a size such as 500KiB, 10MiB or 2GiB, not "10 apples"'],
  [
    [],
    { HEARTH_TRUSTED_PROXIES: '::1,proxy' },
    'HEARTH_TRUSTED_PROXIES: expected addresses or ranges such as 10.0.0.0/8, not "::1,proxy"',
  ],
  [['--archive-rate', '5'], {}, '--archive-rate: expected a rate such as 5/1m, or 0 for none, not "5"'],
  [['--archive-rate', '5/0s'], {}, '--archive-rate: expected a rate such as 5/1m, or 0 for none, not "5/0s"'],
  [['--deletion-delay', 'x'], {}, '--deletion-delay: expected a duration such as 500ms, 30s, 10m, 2h or 30d, not "x"'],
  [
    ['--default-visibility', 'secret'],
    {},
    '--default-visibility: expected one of private, internal, public, not "secret"',
  ],
  [[], { DATABASE_URL: 'mysql://u:hunter2@h' }, 'DATABASE_URL: expected postgres://user:password@host/database'],
  [['--root-password', 'short'], {}, '--root-password: expected at least 8 characters'],
  [['--ssh-port', '8080'], {}, '--ssh-port: 8080 is the port that HTTP listens on'],
  [
    ['--incoming-mail-address', 'incoming@example.com'],
    {},
    '--incoming-mail-address: expected an address such as incoming+%{key}@example.com, not "incoming@example.com"',
  ],
  [['--imap-url', 'imaps://a:b@mail'], {}, '--imap-url: needs --incoming-mail-address'],
  [
    [],
    { HEARTH_IMAP_URL: 'pop3://a:hunter2@mail' },
    'HEARTH_IMAP_URL: expected an address such as imaps://user:password@mail.example.com/INBOX',
  ],
  [['--imap-poll', '1s'], {}, '--imap-poll: expected at least 5s'],
  [['extra'], {}, 'extra: unexpected argument'],
];

for (const [argv, env, mistake] of refused) {
  test(`${JSON.stringify(env)} ${argv.join(' ')} is refused: ${mistake}`, () => {
    assert.ok(mistakesOf(argv, env).includes(mistake), mistakesOf(argv, env).join('\n'));
  });
}

for (const range of ['10.0.0.0/33', '::/129', 'example.com', '10.0.0.1/8/8', '10.0.0.1/x', '']) {
  test(`${JSON.stringify(range)} is not an address range`, () => {
    const found = mistakesOf(['--trusted-proxies', `127.0.0.1,${range}x`], {});
    assert.equal(found.length, 1);
  });
}

test('all mistakes are reported at once', () => {
  const found = mistakesOf(['--port', 'x', '--what'], { HEARTH_WORKERS: '0', HEARTH_LOG_LEVEL: 'loud' });
  assert.equal(found.length, 4);
  assert.throws(() => loadConfig(['--port', 'x'], {}), /The settings have a mistake:\n {2}--port: expected/);
});

test('secrets are read from files named by variables', () => {
  const folder = mkdtempSync(join(tmpdir(), 'secrets-'));
  const file = (name: string, content: string) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const path = file('password', ' with spaces \n');
  assert.equal(loadConfig([], { HEARTH_ROOT_PASSWORD_FILE: path }).rootPassword, ' with spaces ');
  assert.equal(
    loadConfig([], { HEARTH_ROOT_PASSWORD_FILE: path, HEARTH_ROOT_PASSWORD: 'the variable' }).rootPassword,
    'the variable',
  );
  assert.equal(
    loadConfig(['--root-password', 'the flag!'], { HEARTH_ROOT_PASSWORD_FILE: path }).rootPassword,
    'the flag!',
  );
  const entries = file(
    'providers',
    JSON.stringify([
      {
        provider: 'second',
        issuer: 'https://second.example.com',
        client_id: 'forge',
        client_secret_file: file('oidc', 'hush\r\n'),
      },
    ]),
  );
  assert.equal(loadConfig(['--oidc-providers', entries]).oidcProviders?.entries[0]?.oidcClientSecret, 'hush');
  // Only secrets are read from files.
  assert.equal(loadConfig([], { HEARTH_PORT_FILE: file('port', '9000') }).port, 8080);
  const short = file('short', 'hunter2');
  for (const [env, mistake] of [
    [{ HEARTH_ROOT_PASSWORD_FILE: short }, /^HEARTH_ROOT_PASSWORD: expected at least 8 characters$/],
    [{ HEARTH_ROOT_PASSWORD_FILE: file('empty', '\n') }, /^HEARTH_ROOT_PASSWORD_FILE: .* is empty$/],
    [{ DATABASE_URL_FILE: join(folder, 'nowhere') }, /^DATABASE_URL_FILE: ENOENT/],
    [{ DATABASE_URL_FILE: folder }, /^DATABASE_URL_FILE: EISDIR/],
  ] as const) {
    const [found = '', ...others] = mistakesOf([], env);
    assert.deepEqual(others, []);
    assert.match(found, mistake);
    assert.doesNotMatch(found, /hunter2/);
  }
  rmSync(folder, { recursive: true });
});

test('a mistyped flag and its value count as one mistake', () => {
  assert.equal(mistakesOf(['--prot', '1'], {}).length, 1);
  assert.equal(mistakesOf(['--prot=1', 'word'], {}).length, 2);
});

test('every setting has a unique variable and flag and a valid default', () => {
  const all = Object.entries(settings);
  assert.equal(new Set(all.map(([, { env }]) => env)).size, all.length);
  for (const [name, setting] of all) {
    const show = setting.show as (value: unknown) => string;
    const parse = setting.parse as (text: string) => unknown;
    if (setting.default !== undefined) assert.deepEqual(parse(show(setting.default)), setting.default, name);
    assert.match(setting.help, /^[A-Z].*\.$/, name);
  }
});

for (const page of generatedPages()) {
  const name = page.path.split('/').slice(-2).join('/');
  test(`${name} is what \`npm run docs\` writes`, async () => {
    assert.ok((await readFile(page.path, 'utf8')) === page.text, `${name} is out of date: npm run docs`);
  });
}

function mistakesOf(argv: string[], env: NodeJS.ProcessEnv): readonly string[] {
  try {
    loadConfig(argv, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
    throw error;
  }
  return [];
}
