import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, it } from 'node:test';
import { type HostaWorld, startHosta, token } from '../imports/hosta/world.ts';
import { forEachEngine } from '../support/engines.ts';
import { type HostCall, type HostReply, type JsonHost, startJsonHost } from '../support/json-host.ts';
import { addPerson, type Person } from '../support/scene.ts';
import { type Answer, startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const marker = join(mkdtempSync(join(tmpdir(), 'hearth-import-')), 'owned');
after(() => rmSync(dirname(marker), { recursive: true, force: true }));

const command = `\r\n*3\r\n$3\r\nSET\r\n$1\r\na\r\n$40\r\n|touch ${marker}\r\n`;
const levels = 20_000;
const deep = `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
/** Values in place of a text or number; the last one is nested far deeper than any real data. */
const oddities: readonly unknown[] = [{ to_s: command, bytesize: 1 }, [command], -1.5, 'a\0b', '@deep'];

/** Returns a response with malformed JSON. */
const raw =
  (json: unknown): HostReply =>
  (response) =>
    response.writeHead(200).end(JSON.stringify(json).replaceAll('"@deep"', deep));

/** A record with an invalid value in every field. */
const strange = (odd: unknown, names: readonly string[]) => Object.fromEntries(names.map((name) => [name, odd]));

/** Repository URLs that git would interpret as something else. */
const addresses = [`--upload-pack=touch ${marker}`, `ext::sh -c "touch ${marker}"`, 'file:///etc', '/etc'];

forEachEngine((engine) => {
  let server: TestServer;
  let world: HostaWorld;
  let host: JsonHost;
  let owner: Person;
  /** Responses of the other two hosts. */
  let answers: (call: HostCall) => HostReply | undefined = () => undefined;

  before(async () => {
    world = await startHosta();
    host = await startJsonHost((call) => answers(call));
    const flags = ['--allow-local-egress', '--hosta-url', world.url, '--hostb-url', host.url];
    server = await startTestServer(engine, flags);
    owner = await addPerson(server, 'owner');
    await server.must('POST /groups', { token: owner.token, json: { name: 'Team', path: 'team' } });
  });

  /** The result of an import, or the status with which it was rejected. */
  const ended = async (answer: Answer, person: Person): Promise<Answer['body']> => {
    assert.ok(answer.status < 500, answer.text);
    if (answer.status !== 201) return { import_status: 'refused', status: answer.status };
    const shown = async () =>
      (await server.api(`GET /projects/${answer.body.id}/import`, { token: person.token })).body;
    await until(async () => !['scheduled', 'started'].includes((await shown()).import_status));
    return shown();
  };
  /** Imports from hosta with some responses replaced. */
  const importWith = async (path: RegExp, reply: HostReply, person?: Person) => {
    world.intercept = (call) => (path.test(call.path) ? reply : undefined);
    try {
      const caller = person ?? (await addPerson(server, 'importer'));
      const target_namespace = person ? 'team' : caller.user.username;
      const json = { personal_access_token: token, repo_id: 77, target_namespace, new_name: 'brought' };
      return await ended(await server.api('POST /import/hosta', { token: caller.token, json }), caller);
    } finally {
      world.intercept = undefined;
    }
  };
  const failuresOf = (status: Answer['body'], kind: string) =>
    status.failed_relations.filter((failure: Answer['body']) => failure.relation_name === kind);

  it('CVE-2022-2884, CVE-2022-2992: skips records with objects in place of texts and executes nothing', async () => {
    const fields = ['number', 'id', 'title', 'body', 'state', 'user', 'labels', 'assignees', 'milestone', 'created_at'];
    const others = ['updated_at', 'name', 'color', 'tag_name', 'head', 'base', 'path', 'html_url', 'event', 'actor'];
    const page = [...oddities.map((odd) => strange(odd, [...fields, ...others])), null, 7, 'text', []];
    const good = { number: 1, title: 'A good one', state: 'open', labels: [{ name: 'x'.repeat(5000) }], user: null };
    const long = { name: 'x'.repeat(5000), color: 'ff0000' };
    const status = await importWith(
      /^\/repos\/o\/r\/(labels|milestones|releases|pulls|issues|pulls\/comments|issues\/1\/timeline|branches)$/,
      raw([...page, good, long, { event: 'commented', id: 5, body: {} }]),
      owner,
    );
    assert.equal(status.import_status, 'finished', status.import_error);
    assert.deepEqual(
      [status.stats.imported.issue, status.stats.imported.milestone, status.stats.imported.pull_request],
      [1, 1, 0],
    );
    assert.equal(status.stats.fetched.pull_request, page.length + 3);
    assert.ok(failuresOf(status, 'issue').length >= page.length, JSON.stringify(status.failed_relations));
    assert.match(failuresOf(status, 'note')[0]?.exception_message, /^body must be string/);
    const [issue] = await server.must(`GET /projects/${status.id}/issues`, { token: owner.token });
    assert.equal(issue.title, 'A good one');
    assert.deepEqual(
      issue.labels.map((label: string) => label.length),
      [255],
    );
    assert.equal(existsSync(marker), false);
  });

  it('aborts the import on a response of the wrong type', async () => {
    const table: [RegExp, unknown][] = [
      [/^\/repos\/o\/r\/labels$/, { message: command }],
      [/^\/repos\/o\/r\/milestones$/, '@deep'],
      [/^\/repos\/o\/r\/issues$/, Array.from({ length: 1001 }, () => 0)],
      [/^\/users\/bob-b$/, { name: { to_s: command } }],
    ];
    for (const [path, json] of table) {
      world.calls.length = 0;
      const group = await addPerson(server, 'founder');
      await server.must('POST /groups', { token: group.token, json: { name: 'x', path: `g-${group.user.id}` } });
      world.intercept = (call) => (path.test(call.path) ? raw(json) : undefined);
      const target_namespace = `g-${group.user.id}`;
      const sent = { personal_access_token: token, repo_id: 77, target_namespace };
      const answer = await server.api('POST /import/hosta', { token: group.token, json: sent });
      const status = await ended(answer, group);
      world.intercept = undefined;
      assert.equal(status.import_status, 'failed', `${path}`);
      assert.match(status.import_error, /^The answer for \/\S+ cannot be read: it \S/);
      assert.equal(world.calls.filter((call) => path.test(call.path)).length, 2, 'retried once only');
    }
  });

  it('aborts the import on endless or malformed pagination', async () => {
    const here = `${world.url}/repos/o/r/labels`;
    const next = (link: string): HostReply => ({ headers: { link: `<${link}>; rel="next"` }, json: [] });
    const table: [HostReply, RegExp][] = [
      [next(`${here}?page=2`), /^The other host names a page as the next one that was there before$/],
      [next(`${here}?${'x'.repeat(9000)}`), /^The other host names a page by too long an address$/],
      [
        (response) => response.writeHead(200).end('<!DOCTYPE html><p>Sign in'),
        /^The other host answered with a web page/,
      ],
    ];
    for (const [reply, said] of table) {
      world.calls.length = 0;
      const status = await importWith(/^\/repos\/o\/r\/labels$/, reply);
      assert.equal(status.import_status, 'failed');
      assert.match(status.import_error, said);
      assert.ok(world.calls.filter(({ path }) => path.endsWith('/labels')).length <= 3);
    }
  });

  it('CVE-2022-2884: does not fetch repositories whose URL contains commands', async () => {
    const about = { id: 77, name: 'x', full_name: 'a/x', default_branch: 'main', private: true };
    const wrong = [{ ...about, name: {} }, { ...about, full_name: [] }, null, [], 'text', '@deep'];
    const named = [...addresses, 'http://', { a: 1 }].map((clone_url) => ({ ...about, clone_url }));
    for (const repository of [...named, ...wrong]) {
      const status = await importWith(/^\/repositories\/77$/, raw(repository));
      assert.deepEqual(status, { import_status: 'refused', status: 422 }, JSON.stringify(repository));
    }
    assert.equal(existsSync(marker), false);
  });

  const hosts = {
    hostb: {
      sent: { repo_path: 'ws/slug', hostb_email: 'pat@example.com', hostb_api_token: 'secret' },
      about: '/repositories/ws/slug',
      user: { '/user': { uuid: '{1}' } },
      repository: (href: unknown) => ({ name: 'slug', links: { clone: [{ name: 'https', href }] } }),
    },
    hostb_server: {
      sent: {
        hostb_server_username: 'kim',
        personal_access_token: 'secret',
        hostb_server_project: 'KEY',
        hostb_server_repo: 'repo',
      },
      about: '/rest/api/1.0/projects/KEY/repos/repo',
      user: {},
      repository: (href: unknown) => ({ name: 'Repo', links: { clone: [{ name: 'http', href }] } }),
    },
  };

  it('validates responses of the other hosts in the same way', async () => {
    for (const [name, { sent, about, user, repository }] of Object.entries(hosts)) {
      const importFrom = async (found: unknown) => {
        const replies: Record<string, unknown> = { ...user, [about]: found };
        answers = ({ path }) => (Object.hasOwn(replies, path) ? raw(replies[path]) : undefined);
        const person = await addPerson(server, 'importer');
        const url = name === 'hostb_server' ? { hostb_server_url: host.url } : {};
        const json = { ...sent, ...url, target_namespace: person.user.username, new_name: 'brought' };
        return ended(await server.api(`POST /import/${name}`, { token: person.token, json }), person);
      };
      for (const address of [...addresses, 'http://']) {
        const { import_status } = await importFrom(repository(address));
        assert.ok(['failed', 'refused'].includes(import_status), `${name}: ${address} ${import_status}`);
      }
      const odd = [
        repository({ a: 1 }),
        { ...repository('http://x/y'), name: {} },
        { links: 5 },
        null,
        [],
        'x',
        '@deep',
      ];
      for (const found of odd) {
        const status = await importFrom(found);
        assert.deepEqual(status, { import_status: 'refused', status: 422 }, `${name}: ${JSON.stringify(found)}`);
      }
    }
    assert.equal(existsSync(marker), false);
  });
});
