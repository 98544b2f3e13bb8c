import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { before, describe, it } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { endStuckImports } from '../../../src/imports/group-archives/jobs.ts';
import { expireExports } from '../../../src/imports/group-exports/jobs.ts';
import { readTar, writeTar } from '../../../src/platform/git/archive/tar.ts';
import { newTarEntry } from '../../../src/platform/git/archive/tar-entry.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import { type Answer, rootToken, type Sending, startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

type Entries = Record<string, string | Buffer>;

const packed = async (entries: Entries, change: (header: Buffer) => Buffer = (header) => header): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  const made = Object.entries(entries).map(([path, content]) => {
    const bytes = Buffer.from(content);
    const entry = newTarEntry({ kind: 'file', path, size: bytes.length, mtime: 0, content: [bytes] });
    return { ...entry, header: change(Buffer.from(entry.header)) };
  });
  for await (const chunk of writeTar(made)) chunks.push(chunk);
  return gzipSync(Buffer.concat(chunks));
};

const unpacked = async (bytes: Buffer): Promise<Entries> => {
  const entries: Entries = {};
  for await (const entry of readTar(Readable.from([gunzipSync(bytes)]))) {
    const chunks: Buffer[] = [];
    if (entry.kind === 'file') for await (const chunk of entry.content) chunks.push(chunk as Buffer);
    if (entry.kind === 'file') entries[entry.path] = Buffer.concat(chunks);
  }
  return entries;
};

/** Entries of a minimal group archive. */
const small = (more: Entries = {}): Entries => ({
  'tree/groups/_all.ndjson': '7\n',
  'tree/groups/7.json': JSON.stringify({ id: 7, name: 'Seven', path: 'seven', visibility_level: 20 }),
  ...more,
});

forEachEngine((engine) => {
  describe('group archives', () => {
    let server: TestServer;
    let owner: Person;
    let member: Person;
    let groupId: number;
    let archive: Buffer;
    let count = 0;

    const as = (token: string | null, call: string, sending: Sending = {}) => server.api(call, { token, ...sending });
    const must = (token: string, call: string, json?: unknown) =>
      server.must(call, { token, ...(json === undefined ? {} : { json }) });
    const download = async (token: string, id: number) => {
      const response = await fetch(`${server.url}/api/v4/groups/${id}/export/download`, {
        headers: { 'private-token': token },
      });
      return { response, bytes: Buffer.from(await response.arrayBuffer()) };
    };
    const exported = async (token: string, id: number): Promise<Buffer> => {
      const requested = await as(token, `POST /groups/${id}/export`);
      assert.deepEqual([requested.status, requested.body], [202, { message: '202 Accepted' }]);
      await server.running.services.queue.drain();
      const { response, bytes } = await download(token, id);
      assert.equal(response.status, 200);
      assert.match(response.headers.get('content-disposition') ?? '', /filename="\d{14}_team_export\.tar\.gz"/);
      return bytes;
    };
    const send = (token: string | null, bytes: Buffer, fields: Record<string, string>): Promise<Answer> => {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.append(name, value);
      form.append('file', new Blob([new Uint8Array(bytes)]), 'export.tar.gz');
      return as(token, 'POST /groups/import', { body: form });
    };
    const imported = async (bytes: Buffer, token = owner.token, more: Record<string, string> = {}) => {
      const path = `copy-${++count}`;
      const answer = await send(token, bytes, { name: `Copy ${count}`, path, ...more });
      assert.deepEqual([answer.status, answer.body], [202, { message: '202 Accepted' }]);
      await server.running.services.queue.drain();
      const { body } = await as(rootToken, `GET /groups?search=${path}&all_available=true`);
      const { id } = body.find((one: { path: string }) => one.path === path);
      return { id: id as number, state: await must(token, `GET /groups/${id}/import`) };
    };

    before(async () => {
      server = await startTestServer(engine);
      await server.must('PUT /application/settings', {
        json: { group_export_limit: 0, group_download_export_limit: 0, group_import_limit: 0 },
      });
      owner = await addPerson(server, 'owner');
      member = await addPerson(server, 'member');
      await must(rootToken, `PUT /users/${member.user.id}`, { public_email: member.user.email });
      const team = { name: 'Team', path: 'team', visibility: 'public', description: 'All of us' };
      groupId = (await must(owner.token, 'POST /groups', { ...team, request_access_enabled: false })).id;
      const add = (place: string, json: object) => must(owner.token, `POST /groups/${groupId}/${place}`, json);
      await add('labels', { name: 'bug', color: '#ff0000', description: 'wrong' });
      const milestone = await add('milestones', { title: 'one', due_date: '2030-12-01' });
      await add('badges', { name: 'built', link_url: 'https://a.example/', image_url: 'https://a.example/x.svg' });
      const board = await add('boards', { name: 'Plan' });
      await add(`boards/${board.id}/lists`, { milestone_id: milestone.id });
      const shot = new FormData();
      shot.set('file', new Blob([png]), 'shot.png');
      const { markdown } = await server.must(`POST /groups/${groupId}/uploads`, { token: owner.token, body: shot });
      const whole = await add('epics', { title: 'Whole', labels: 'bug', color: '#123456', description: markdown });
      await add('epics', { title: 'Part', parent_id: whole.id, confidential: true });
      await add('epics/1/notes', { body: `said ${markdown}` });
      await add('epics/1/award_emoji', { name: 'thumbsup' });
      await add('members', { user_id: member.user.id, access_level: 30 });
      await add('wikis', { title: 'home', content: 'Come in' });
      const form = new FormData();
      form.set('avatar', new Blob([png]), 'team.png');
      await server.must(`PUT /groups/${groupId}`, { token: owner.token, body: form });
      const inner = { name: 'Inner', path: 'inner', parent_id: groupId, visibility: 'internal' };
      const { id: innerId } = await must(owner.token, 'POST /groups', inner);
      await must(owner.token, `POST /groups/${innerId}/labels`, { name: 'deep', color: '#00ff00' });
      const innermost = { name: 'Innermost', path: 'innermost', parent_id: innerId, visibility: 'private' };
      await must(owner.token, 'POST /groups', innermost);
      archive = await exported(owner.token, groupId);
    });

    it('contain every group with its contents', async () => {
      const entries = await unpacked(archive);
      const [first, second, third] = String(entries['tree/groups/_all.ndjson']).trim().split('\n');
      assert.equal(first, String(groupId));
      const { id, parent_id, name, path, description, request_access_enabled } = JSON.parse(
        String(entries[`tree/groups/${first}.json`]),
      );
      assert.deepEqual(
        [id, parent_id, name, path, description, request_access_enabled],
        [groupId, null, 'Team', 'team', 'All of us', false],
      );
      assert.equal(JSON.parse(String(entries[`tree/groups/${second}.json`])).parent_id, groupId);
      assert.equal(JSON.parse(String(entries[`tree/groups/${third}.json`])).parent_id, Number(second));
      for (const relation of ['labels', 'milestones', 'badges', 'boards', 'epics', 'members', 'user_contributions']) {
        assert.ok(`tree/groups/${first}/${relation}.ndjson` in entries, relation);
      }
      assert.ok(`repositories/${first}.wiki.bundle` in entries);
      assert.deepEqual(entries[`avatars/${first}/team.png`], png);
      const shots = Object.keys(entries).filter((path) => path.startsWith('uploads/'));
      assert.match(shots.join(), new RegExp(`^uploads/${first}/[0-9a-f]{32}/shot\\.png$`));
      // Contains no secrets.
      assert.doesNotMatch(gunzipSync(archive).toString('latin1'), /runners_token|GR1348941|"email"/);
    });

    it('are imported as a group, with memberships if imported by an administrator', async () => {
      const { id, state } = await imported(archive, rootToken);
      assert.deepEqual([state.import_status, state.import_error, state.failed_relations], ['finished', null, []]);
      const get = (place: string) => server.must(`GET /groups/${id}${place}`);
      const group = await get('');
      assert.deepEqual(
        [group.visibility, group.description, group.request_access_enabled, /team\.png$/.test(group.avatar_url)],
        ['private', 'All of us', false, true],
      );
      const [label] = await get('/labels');
      assert.deepEqual([label.name, label.color, label.description], ['bug', '#ff0000', 'wrong']);
      const [milestone] = await get('/milestones');
      assert.deepEqual([milestone.title, milestone.due_date], ['one', '2030-12-01']);
      assert.equal((await get('/badges'))[0].name, 'built');
      const boards = await get('/boards');
      assert.equal(boards.find(({ name }: { name: string }) => name === 'Plan').lists[0].milestone.title, 'one');
      const epics = (await get('/epics?sort=asc&order_by=created_at')) as Record<string, unknown>[];
      assert.deepEqual(
        epics.map(({ iid, title, parent_iid, confidential }) => [iid, title, parent_iid, confidential]),
        [
          [1, 'Whole', null, false],
          [2, 'Part', 1, true],
        ],
      );
      assert.deepEqual([epics[0]?.labels, epics[0]?.color], [['bug'], '#123456']);
      const notes = (await get(`/epics/${epics[0]?.id}/notes`)).filter(({ system }: { system: boolean }) => !system);
      assert.deepEqual(
        notes.map(({ body }: { body: string }) => body),
        [`said ${epics[0]?.description}`],
      );
      const before = await must(owner.token, `GET /groups/${groupId}/epics/1`);
      assert.notEqual(epics[0]?.description, before.description, 'uploads have a new URL');
      const [, url] = /^!\[shot\]\((\/uploads\/[0-9a-f]{32}\/shot\.png)\)$/.exec(String(epics[0]?.description)) ?? [];
      const file = await fetch(`${server.url}/api/v4/groups/${id}${url}`, { headers: { 'private-token': rootToken } });
      assert.deepEqual([file.status, Buffer.from(await file.arrayBuffer())], [200, png]);
      assert.equal((await get('/uploads')).length, 1);
      assert.equal((await get('/epics/1/award_emoji'))[0].name, 'thumbsup');
      assert.equal((await get('/wikis/home')).content, 'Come in');
      const members = (await get('/members')) as { username: string; access_level: number }[];
      assert.equal(members.find(({ username }) => username === member.user.username)?.access_level, 30);
      const [inner] = await get('/subgroups');
      assert.deepEqual([inner.path, inner.visibility], ['inner', 'private'], 'visibility is limited by the parent');
      assert.equal((await server.must(`GET /groups/${inner.id}/labels?include_ancestor_groups=false`))[0].name, 'deep');
      assert.equal((await server.must(`GET /groups/${inner.id}/subgroups`))[0].path, 'innermost');
      // Neither the archive nor its contents are kept.
      assert.deepEqual((await readdir(join(server.running.services.config.data, 'tmp', 'imports'))).length, 0);
    });

    it('assign no roles and use placeholders if imported by other users', async () => {
      const { id, state } = await imported(archive);
      assert.equal(state.import_status, 'finished');
      const members = await must(owner.token, `GET /groups/${id}/members`);
      assert.deepEqual(
        members.map(({ username }: { username: string }) => username),
        [owner.user.username],
      );
      const [epic] = await must(owner.token, `GET /groups/${id}/epics`);
      assert.match(epic.author.username, /_placeholder_/);
    });

    it('are imported into a group by users who can create subgroups, limited to its visibility', async () => {
      const json = { name: 'Around', path: 'around', visibility: 'internal' };
      const around = await must(owner.token, 'POST /groups', json);
      const { id } = await imported(archive, owner.token, { parent_id: String(around.id) });
      const group = await must(owner.token, `GET /groups/${id}`);
      assert.deepEqual([group.parent_id, group.visibility], [around.id, 'internal']);
      const levels = await must(owner.token, `GET /groups/${id}/descendant_groups`);
      assert.deepEqual(levels.map(({ path, visibility }: Record<string, string>) => [path, visibility]).sort(), [
        ['inner', 'internal'],
        ['innermost', 'private'],
      ]);
      const fields = { name: 'No', path: 'no', parent_id: String(around.id) };
      assert.equal((await send(member.token, archive, fields)).status, 403);
      const hidden = await must(owner.token, 'POST /groups', { name: 'Secret', path: 'secret', visibility: 'private' });
      assert.equal((await send(member.token, archive, { ...fields, parent_id: String(hidden.id) })).status, 404);
      assert.equal((await send(member.token, archive, { ...fields, parent_id: '999999' })).status, 404);
      const barred = await addPerson(server, 'barred', { columns: { can_create_group: 0 } });
      assert.equal((await send(barred.token, archive, { name: 'No', path: 'no' })).status, 403);
    });

    it('can be exported and downloaded only by Owners', async () => {
      const reader = await addPerson(server, 'reader', { scopes: ['read_api'] });
      await must(owner.token, `POST /groups/${groupId}/members`, { user_id: reader.user.id, access_level: 50 });
      const cases: readonly (readonly [token: string | null, start: number, fetched: number])[] = [
        [null, 401, 401],
        [member.token, 403, 403],
        [reader.token, 403, 200],
        ['glpat-wrong', 401, 401],
      ];
      for (const [token, start, fetched] of cases) {
        assert.equal((await as(token, `POST /groups/${groupId}/export`)).status, start);
        assert.equal((await as(token, `GET /groups/${groupId}/export/download`)).status, fetched);
        if (token !== reader.token) assert.equal((await as(token, `GET /groups/${groupId}/import`)).status, fetched);
      }
      const json = { name: 'Hidden', path: 'hidden', visibility: 'private' };
      const hidden = await server.must('POST /groups', { json });
      assert.equal((await as(member.token, `POST /groups/${hidden.id}/export`)).status, 404);
      const none = await as(rootToken, `GET /groups/${hidden.id}/export/download`);
      assert.deepEqual([none.status, none.body], [404, { message: '404 Not found or has expired' }]);
      assert.equal((await must(rootToken, `GET /groups/${hidden.id}/import`)).import_status, 'none');
      assert.equal((await send(null, archive, { name: 'x', path: 'x' })).status, 401);
      assert.equal((await send(reader.token, archive, { name: 'x', path: 'x' })).status, 403);
    });

    it('are rejected if parameters are missing or the path is taken', async () => {
      const says = ({ status, body }: Answer) => [status, body.message ?? body.error];
      assert.deepEqual(says(await send(owner.token, archive, { path: 'x' })), [400, 'name is missing']);
      assert.deepEqual(says(await send(owner.token, archive, { name: 'x' })), [400, 'path is missing']);
      const taken = await send(owner.token, archive, { name: 'x', path: 'team' });
      assert.deepEqual([taken.status, /^Failed to save group .*taken/.test(taken.body.message)], [400, true]);
      const odd = await send(owner.token, archive, { name: 'x', path: '../x' });
      assert.equal(odd.status, 400);
      const form = new FormData();
      form.set('name', 'x');
      form.set('path', 'x');
      form.set('file', 'no file');
      assert.deepEqual(says(await as(owner.token, 'POST /groups/import', { body: form })), [400, 'file is invalid']);
      const json = { name: 'x', path: 'x', file: 'y' };
      assert.deepEqual(says(await as(owner.token, 'POST /groups/import', { json })), [400, 'file is invalid']);
      assert.equal((await as(owner.token, 'GET /groups/x')).status, 404);
    });

    it('are rejected if invalid or malicious', async () => {
      const link = (header: Buffer) => {
        header.write('2', 156, 'latin1');
        return header;
      };
      const many = Array.from({ length: 6000 }, (_, at) => `${at + 1}\n`).join('');
      const cases: readonly (readonly [bytes: Buffer, error: RegExp])[] = [
        [Buffer.from('no archive'), /cannot be unpacked/],
        [gzipSync('no tar'), /cannot be unpacked|none of a group/],
        [(await packed(small())).subarray(0, 60), /cannot be unpacked/],
        [await packed({ 'tree/project.json': '{}' }), /not a group export/],
        [await packed(small({ 'tree/groups/_all.ndjson': '7\n../8\n' })), /not a group export/],
        [await packed(small({ 'tree/groups/_all.ndjson': many })), /more than 5000 groups/],
        [await packed(small({ '../out': 'x' })), /path outside of it/],
        [await packed(small({ '/etc/x': 'x' })), /path outside of it/],
        [await packed(small(), link), /not a regular file/],
      ];
      for (const [bytes, error] of cases) {
        const { state } = await imported(bytes);
        assert.equal(state.import_status, 'failed', String(error));
        assert.match(state.import_error, error);
      }
      await server.must('PUT /application/settings', { json: { max_decompressed_archive_size: 1 } });
      const bomb = await packed(small({ 'tree/groups/7/labels.ndjson': Buffer.alloc(3_000_000, 32) }));
      assert.match((await imported(bomb)).state.import_error, /unpacks to more than/);
      await server.must('PUT /application/settings', { json: { max_decompressed_archive_size: 25600 } });
      assert.deepEqual((await readdir(join(server.running.services.config.data, 'tmp', 'imports'))).length, 0);
    });

    it('cannot affect anything outside of the import', async () => {
      const secret = await must(owner.token, 'POST /projects', { name: 'Secret', initialize_with_readme: true });
      const group = (id: number, more: object) => JSON.stringify({ id, name: `N${id}`, path: `p${id}`, ...more });
      const { id, state } = await imported(
        await packed({
          'tree/groups/_all.ndjson': '7\n8\n9\n10\n11\n12\n',
          'tree/groups/7.json': group(7, {
            id: 7,
            parent_id: groupId,
            owner_id: 1,
            runners_token: 'x',
            emails_enabled: false,
          }),
          // Parents: an existing group, another number, no group, and a valid one.
          'tree/groups/8.json': group(8, { parent_id: groupId }),
          'tree/groups/9.json': group(10, { parent_id: 7 }),
          'tree/groups/10.json': group(10, { parent_id: 8 }),
          'tree/groups/11.json': group(11, { parent_id: 7, path: '../../x' }),
          'tree/groups/12.json': group(12, { parent_id: 7, visibility_level: 20, description: 'x'.repeat(3000) }),
          'tree/groups/7/labels.ndjson': '{"title":"a"}\nnothing\n{"title":5}\n{"title":"b","namespace_id":1,"id":1}\n',
          'tree/groups/7/milestones.ndjson': '{"iid":-1}\n{"iid":3,"title":"m","namespace_id":1,"project_id":1}\n',
          'tree/groups/7/badges.ndjson': '{"link_url":"javascript:alert(1)","image_url":"https://a.example/"}\n',
          'tree/groups/7/epics.ndjson': `{"iid":2,"title":"e","author_id":1,"parent":{"iid":2},"notes":[{"note":"n","author_id":1,"noteable_id":1}]}\n`,
          'tree/groups/7/members.ndjson':
            '{"user_id":1,"access_level":50,"user":{"id":1,"username":"root","public_email":"admin@example.com"}}\n',
          // Git would treat this as the repository itself.
          'repositories/7.wiki.bundle': `gitdir: ${resolve(server.running.services.git.repository(secret.id).path)}\n`,
          'avatars/7/x.svg': '<svg/>',
        }),
      );
      assert.equal(state.import_status, 'finished');
      const failed = state.failed_relations as { relation_name: string; source: string }[];
      assert.deepEqual(failed.map(({ relation_name, source }) => `${source}: ${relation_name}`).sort(), [
        'group 10, itself: group',
        'group 11, itself: group',
        'group 12, description: settings',
        'group 7, avatar: settings',
        'group 7, bundle: wiki',
        'group 7, line 1: badges',
        'group 7, line 1: epic_parents',
        'group 7, line 1: milestones',
        'group 7, line 2: labels',
        'group 7, line 3: labels',
        'group 8, itself: group',
        'group 9, itself: group',
      ]);
      const why = (state.failed_relations as Record<string, string>[]).find(({ source }) =>
        source?.startsWith('group 11'),
      );
      assert.match(why?.exception_message ?? '', /^Failed to save group .*path/);
      const made = await must(owner.token, `GET /groups/${id}`);
      assert.deepEqual([made.parent_id, made.visibility, made.emails_enabled], [null, 'private', false]);
      const names = (await must(owner.token, `GET /groups/${id}/labels`)).map(({ name }: { name: string }) => name);
      assert.deepEqual(names.sort(), ['a', 'b']);
      const below = await must(owner.token, `GET /groups/${id}/descendant_groups`);
      assert.deepEqual(
        below.map(({ path, visibility }: Record<string, string>) => [path, visibility]),
        [['p12', 'private']],
      );
      assert.equal((await must(owner.token, `GET /groups/${groupId}/subgroups`)).length, 1);
      assert.equal((await must(owner.token, `GET /groups/${id}/members`)).length, 1);
      const [epic] = await must(owner.token, `GET /groups/${id}/epics`);
      assert.match(epic.author.username, /_placeholder_/);
    });

    it('expire after a day', async () => {
      const group = await must(owner.token, 'POST /groups', { name: 'Old', path: 'old' });
      await must(owner.token, `POST /groups/${group.id}/export`);
      await server.running.services.queue.drain();
      assert.equal((await download(owner.token, group.id)).response.status, 200);
      await expireExports(server.running.services, Date.now() + 25 * 60 * 60_000);
      assert.equal((await download(owner.token, group.id)).response.status, 404);
    });

    it('imports end if they are stuck', async () => {
      const answer = await send(owner.token, archive, { name: 'Stuck', path: 'stuck' });
      assert.equal(answer.status, 202);
      await endStuckImports(server.running.services, Date.now() + 25 * 60 * 60_000);
      const { body } = await as(owner.token, 'GET /groups/stuck/import');
      assert.ok(['failed', 'finished'].includes(body.import_status));
      await until(async () => (await as(owner.token, 'GET /groups/stuck/import')).body.import_status !== 'started');
    });

    it('imports and exports are rate limited', async () => {
      await server.must('PUT /application/settings', {
        json: { group_export_limit: 1, group_download_export_limit: 1, group_import_limit: 1 },
      });
      const calls = {
        export: () => as(owner.token, `POST /groups/${groupId}/export`),
        download: () => as(owner.token, `GET /groups/${groupId}/export/download`),
        import: () => send(owner.token, Buffer.from('x'), { name: 'x', path: 'team' }),
      };
      for (const call of Object.values(calls)) {
        assert.notEqual((await call()).status, 429);
        assert.equal((await call()).status, 429);
      }
    });
  });
});
