import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { isValidCertificate, readCertificate } from '../../../src/code/ssh-certificates/certificate.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { missing } from '../../support/tools.ts';

const skip = missing('ssh-keygen') || missing('ssh');
const keys = mkdtempSync(join(tmpdir(), 'hearth-certificates-'));
after(() => rmSync(keys, { recursive: true, force: true }));

let count = 0;
/** Generates a key pair and returns its path. */
function pair(type = 'ed25519'): string {
  const path = join(keys, `key-${++count}`);
  execFileSync('ssh-keygen', ['-q', '-t', type, '-N', '', '-C', '', '-f', path]);
  return path;
}
const publicKey = (path: string) => readFileSync(`${path}.pub`, 'utf8').trim();
/** Generates a key and a certificate for it. */
function certified(authority: string, keyId: string, options: readonly string[] = [], type?: string): string {
  const path = pair(type);
  execFileSync('ssh-keygen', ['-q', '-s', authority, '-I', keyId, ...options, `${path}.pub`]);
  return path;
}
const blobOf = (path: string) => Buffer.from(readFileSync(`${path}-cert.pub`, 'utf8').split(' ')[1] ?? '', 'base64');

/** Ignores the SSH configuration of the machine: one key, no agent, no known hosts. */
const sshOptions = (key: string) => [
  ...['-F', 'none', '-i', key],
  ...['IdentitiesOnly=yes', 'IdentityAgent=none', 'StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null']
    .concat('LogLevel=ERROR')
    .flatMap((option) => ['-o', option]),
];

describe('SSH certificates', { skip }, () => {
  it('are parsed for every key type as written by ssh-keygen', () => {
    for (const [ours, theirs] of [
      ['ed25519', 'ed25519'],
      ['rsa', 'ecdsa'],
      ['ecdsa', 'rsa'],
    ] as const) {
      const authority = pair(ours);
      const read = readCertificate(blobOf(certified(authority, 'ann', ['-n', 'ann,git', '-V', '+1d'], theirs)));
      assert.equal(read?.keyId, 'ann', ours);
      assert.deepEqual(read?.principals, ['ann', 'git']);
      assert.match(
        execFileSync('ssh-keygen', ['-lf', `${authority}.pub`], { encoding: 'utf8' }),
        new RegExp(` ${read?.authority.replaceAll(/[+/]/g, '\\$&')} `),
      );
    }
  });

  it('are rejected if modified, for hosts or with unknown critical options', () => {
    const authority = pair();
    const blob = blobOf(certified(authority, 'ann'));
    for (let at = 0; at < blob.length; at += 7) {
      const changed = Buffer.from(blob);
      changed[at] = (changed[at] ?? 0) ^ 1;
      assert.equal(readCertificate(changed), undefined, String(at));
    }
    for (const length of [0, 4, 40, blob.length - 1])
      assert.equal(readCertificate(blob.subarray(0, length)), undefined);
    assert.equal(readCertificate(Buffer.concat([blob, Buffer.from([0])])), undefined);
    assert.equal(readCertificate(blobOf(certified(authority, 'ann', ['-h', '-n', 'host']))), undefined);
    assert.equal(readCertificate(blobOf(certified(authority, 'ann', ['-O', 'force-command=ls']))), undefined);
  });

  it('are valid for a time, principals and source addresses', () => {
    const always = { keyId: 'ann', principals: [], after: 0n, before: 2n ** 64n - 1n, sources: undefined };
    const here = { now: 10_000, ip: '192.0.2.7' };
    const cases: readonly (readonly [object, boolean])[] = [
      [{}, true],
      [{ after: 10n, before: 11n }, true],
      [{ after: 11n }, false],
      [{ before: 10n }, false],
      [{ principals: ['ann'] }, true],
      [{ principals: ['bob'] }, false],
      [{ sources: ['192.0.2.0/24'] }, true],
      [{ sources: ['2001:db8::/32', '198.51.100.1'] }, false],
    ];
    for (const [change, good] of cases)
      assert.equal(isValidCertificate({ ...always, ...change }, here), good, JSON.stringify(Object.keys(change)));
  });
});

forEachEngine((engine) => {
  describe('SSH certificates of a group', { skip }, () => {
    let server: TestServer;
    let owner: Person;
    let member: Person;
    let stranger: Person;
    let group: { id: number };
    let authority: string;
    let id: number;

    const as = (person: Person | null, call: string, json?: object) =>
      server.api(call, { token: person?.token ?? null, ...(json ? { json } : {}) });
    const port = () => server.running.services.config.sshPort as number;
    const clone = async (key: string, path: string) => {
      const client = new GitClient({
        GIT_SSH_COMMAND: ['ssh', ...sshOptions(key)].join(' '),
      });
      const url = `ssh://git@127.0.0.1:${port()}/${path}.git`;
      return { client, ...(await client.run('clone', '-q', url, 'work')) };
    };
    const opens = async (key: string, path = 'works/inner/app') => (await clone(key, path)).code === 0;

    before(async () => {
      server = await startTestServer(engine, ['--ssh-port', '0']);
      owner = await addPerson(server, 'owner');
      member = await addPerson(server, 'member');
      stranger = await addPerson(server, 'stranger');
      const must = (call: string, json: object) => server.must(call, { token: owner.token, json });
      group = await must('POST /groups', { name: 'Works', path: 'works' });
      const inner = await must('POST /groups', { name: 'Inner', path: 'inner', parent_id: group.id });
      await must('POST /projects', { name: 'app', namespace_id: inner.id, initialize_with_readme: true });
      await must(`POST /groups/${group.id}/members`, { user_id: member.user.id, access_level: 30 });
      const own = { name: 'own', initialize_with_readme: true };
      await server.must('POST /projects', { token: member.token, json: own });
      authority = pair();
    });

    it('are managed by owners of top-level groups', async () => {
      const place = `/groups/${group.id}/ssh_certificates`;
      const sent = { title: 'Ours', key: publicKey(authority) };
      const made = await as(owner, `POST ${place}`, sent);
      assert.deepEqual([made.status, made.body.title, made.body.key], [201, 'Ours', sent.key]);
      ({ id } = made.body);
      assert.deepEqual((await as(owner, `GET ${place}`)).body, [made.body]);
      const cases: readonly (readonly [Person | null, string, object | undefined, number])[] = [
        [null, `GET ${place}`, undefined, 401],
        [member, `GET ${place}`, undefined, 403],
        [stranger, `GET ${place}`, undefined, 404],
        [member, `POST ${place}`, sent, 403],
        [owner, `POST ${place}`, sent, 400],
        [owner, `POST ${place}`, { ...sent, key: 'ssh-ed25519 AAAA' }, 400],
        [owner, `POST ${place}`, { ...sent, title: ' ' }, 400],
        [owner, `POST ${place}`, { title: 'no key' }, 400],
        [owner, 'GET /groups/works%2Finner/ssh_certificates', undefined, 403],
        [owner, 'POST /groups/works%2Finner/ssh_certificates', { ...sent, key: publicKey(pair()) }, 403],
        [member, `DELETE ${place}/${id}`, undefined, 403],
        [owner, `DELETE ${place}/${id + 100}`, undefined, 404],
      ];
      for (const [person, call, json, status] of cases) {
        const answer = await as(person, call, json);
        assert.equal(answer.status, status, `${call}: ${answer.text}`);
      }
      const events = await server.must(`GET /groups/${group.id}/audit_events`);
      assert.equal(events[0].details.event_name, 'create_ssh_certificate');
    });

    it('authenticate members for access within the group only', async () => {
      const { username, email } = member.user;
      const key = certified(authority, username, ['-V', '+1h']);
      const { client, code, stderr } = await clone(key, 'works/inner/app');
      assert.equal(code, 0, stderr);
      await client.git('-C', 'work', 'commit', '-q', '--allow-empty', '-m', 'By certificate');
      await client.git('-C', 'work', 'push', '-q', 'origin', 'HEAD:refs/heads/topic');
      const { commit } = await server.must('GET /projects/works%2Finner%2Fapp/repository/branches/topic');
      assert.equal(commit.title, 'By certificate');
      assert.equal(await opens(certified(authority, email)), true, 'by address');
      assert.equal(await opens(certified(authority, username, ['-n', username], 'rsa')), true, 'an RSA key');
      assert.equal(await opens(certified(authority, username, ['-O', 'source-address=127.0.0.1/32'])), true);
      const page = { title: 'home', content: 'Come in' };
      await server.must(`POST /groups/${group.id}/wikis`, { token: owner.token, json: page });
      const own = encodeURIComponent(`${username}/own`);
      await server.must(`POST /projects/${own}/wikis`, { token: member.token, json: page });
      const snippet = await server.must('POST /snippets', {
        token: member.token,
        json: { title: 'x', visibility: 'public', files: [{ file_path: 'a', content: 'b' }] },
      });
      assert.equal(await opens(key, 'works.wiki'), true);
      for (const elsewhere of [`${username}/own`, `${username}/own.wiki`, `snippets/${snippet.id}`]) {
        assert.equal(await opens(key, elsewhere), false, elsewhere);
      }
      const pushed = await client.run(
        '-C',
        'work',
        'push',
        '-q',
        `ssh://git@127.0.0.1:${port()}/${username}/made.git`,
        'HEAD:main',
      );
      assert.notEqual(pushed.code, 0, 'no project is created outside the group');
      assert.equal((await as(member, `GET /projects/${encodeURIComponent(`${username}/made`)}`)).status, 404);
      await server.db.write((trx) =>
        trx.updateTable('users').set({ two_factor_enabled: 1 }).where('id', '=', member.user.id).execute(),
      );
      const asking = [...sshOptions(key), '-p', String(port()), 'git@127.0.0.1', '2fa_recovery_codes'];
      const codes = await new Promise<{ stdout: string; stderr: string }>((resolve) => {
        execFile('ssh', asking, (_error, stdout, stderr) => resolve({ stdout, stderr })).stdin?.end('yes\n');
      });
      assert.match(codes.stderr, /Group SSH certificates cannot generate recovery codes/);
      assert.equal(codes.stdout, '');
    });

    it('are rejected for other users, after expiry, from other addresses or by other authorities', async () => {
      const { username } = member.user;
      const worthless: readonly (readonly [string, string])[] = [
        ['a non-member', certified(authority, stranger.user.username)],
        ['an administrator who is not a member', certified(authority, 'root')],
        ['an unknown user', certified(authority, 'nobody-of-that-name')],
        ['expired', certified(authority, username, ['-V', '-2h:-1h'])],
        ['not yet valid', certified(authority, username, ['-V', '+1h:+2h'])],
        ['another principal', certified(authority, username, ['-n', 'somebody'])],
        ['another source address', certified(authority, username, ['-O', 'source-address=192.0.2.0/24'])],
        ['another authority', certified(pair(), username)],
        ['no certificate', pair()],
      ];
      for (const [what, key] of worthless) assert.equal(await opens(key), false, what);
    });

    it('become invalid when the authority or the membership is removed', async () => {
      const key = certified(authority, member.user.username);
      assert.equal(await opens(key), true);
      await server.must(`DELETE /groups/${group.id}/members/${member.user.id}`);
      assert.equal(await opens(key), false);
      const again = { user_id: member.user.id, access_level: 20 };
      await server.must(`POST /groups/${group.id}/members`, { json: again });
      assert.equal(await opens(key), true);
      await server.must(`DELETE /groups/${group.id}/ssh_certificates/${id}`, { token: owner.token });
      assert.equal(await opens(key), false);
    });
  });
});
