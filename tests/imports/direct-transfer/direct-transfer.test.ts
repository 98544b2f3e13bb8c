import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { type Answer, rootToken, type TestServer } from '../../support/server.ts';
import { assertWhole, ended, fillGroup, twoServers, wanted } from './world.ts';

forEachEngine((engine) => {
  let source: TestServer;
  let target: TestServer;

  before(async () => {
    ({ source, target } = await twoServers(engine));
    await fillGroup(source);
  });

  const begin = (entities: readonly object[]) => target.must('POST /bulk_imports', wanted(source.url, entities));
  const titles = (list: readonly Answer['body'][]) => list.map(({ title, name }) => title ?? name).sort();

  it('migrates a group with its contents', async () => {
    const begun = await begin([
      { source_type: 'group_entity', source_full_path: 'team', destination_namespace: '', destination_slug: 'crew' },
    ]);
    assert.deepEqual(
      { ...begun, created_at: '', updated_at: '' },
      {
        id: begun.id,
        status: 'created',
        source_type: 'gitlab',
        source_url: source.url,
        created_at: '',
        updated_at: '',
        has_failures: false,
      },
    );
    const { status, has_failures, entities } = await ended(target, begun.id);
    assertWhole(entities);
    assert.deepEqual([status, has_failures], ['finished', false]);
    assert.deepEqual(
      entities.map(({ entity_type, destination_full_path, parent_id }) => [
        entity_type,
        destination_full_path,
        parent_id === null,
      ]),
      [
        ['group', 'crew', true],
        ['group', 'crew/inner', false],
        ['project', 'crew/product', false],
        ['project', 'crew/inner/small', false],
      ],
    );
    assert.deepEqual(entities[0].stats.epics, { source: 2, fetched: 2, imported: 2 });
    const group = await target.must('GET /groups/crew');
    assert.deepEqual([group.name, group.visibility, group.id], ['The Team', 'public', entities[0].namespace_id]);
    assert.deepEqual(titles(await target.must('GET /groups/crew/labels')), ['bug']);
    const [milestone] = await target.must('GET /groups/crew/milestones');
    assert.deepEqual([milestone.title, milestone.due_date], ['one', '2026-12-01']);
    assert.equal((await target.must('GET /groups/crew/badges'))[0].image_url, 'https://a.example/x.svg');
    const [board] = await target.must('GET /groups/crew/boards');
    assert.deepEqual([board.name, board.lists[0].milestone.id], ['Plan', milestone.id]);
    const [part, whole] = await target.must('GET /groups/crew/epics?order_by=created_at&sort=desc');
    assert.deepEqual([whole.title, whole.labels, part.title, part.parent_id], ['Whole', ['bug'], 'Part', whole.id]);
    const [, file] = /\((\/uploads\/[0-9a-f]{32}\/plan\.txt)\)/.exec(whole.description) ?? [];
    assert.equal(await target.must(`GET /groups/crew${file}`), 'a plan', whole.description);
    const notes: Answer['body'][] = await target.must(`GET /groups/crew/epics/${whole.id}/notes`);
    assert.deepEqual(
      notes.filter(({ system }) => !system).map(({ body }) => body),
      ['said'],
    );
  });

  it('migrates the projects of a group with their contents', async () => {
    const project = await target.must('GET /projects/crew%2Fproduct');
    assert.deepEqual(
      [project.description, project.visibility, project.import_status],
      ['what we make', 'private', 'finished'],
    );
    const get = (place: string) => target.must(`GET /projects/${project.id}/${place}`);
    const issues = await get('issues?order_by=created_at&sort=asc');
    assert.deepEqual(titles(issues), ['first', 'planned', 'second']);
    assert.deepEqual([issues[0].labels, issues[0].milestone.title, issues[0].imported], [['own'], 'mine', true]);
    const [epic] = await target.must('GET /groups/crew/epics?search=Whole');
    const [milestone] = await target.must('GET /groups/crew/milestones');
    const planned = await get('issues/3');
    assert.deepEqual([planned.labels, planned.milestone.id, planned.epic.id], [['bug'], milestone.id, epic.id]);
    assert.deepEqual(titles(await get('labels?include_ancestor_groups=false')), ['own']);
    assert.equal(issues[0].imported_from, 'gitlab_migration');
    assert.match(issues[0].author.username, /_placeholder_/);
    assert.equal(
      (await get('issues/1/notes')).some(({ body }: Answer['body']) => body === 'a note'),
      true,
    );
    assert.equal((await get('merge_requests/1')).title, 'A request');
    assert.equal((await get('merge_requests/1/changes')).changes[0].new_path, 'new.txt');
    assert.equal((await get('wikis/home')).content, 'welcome');
    assert.deepEqual(titles(await get('snippets')), ['A snippet']);
    assert.deepEqual(titles(await get('releases')), ['One']);
    assert.equal((await get('pipelines'))[0].status, 'success');
    const there = await source.must('GET /projects/team%2Fproduct/repository/commits/main');
    assert.equal((await get('repository/commits/main')).id, there.id);
    const upload = /\/uploads\/[0-9a-f]{32}\/shot\.png/.exec(issues[0].description)?.[0];
    const picture = await fetch(`${target.url}/api/v4/projects/${project.id}${upload}`, {
      headers: { 'private-token': rootToken },
    });
    assert.equal(await picture.text(), 'a picture');
    assert.equal((await target.must('GET /projects/crew%2Finner%2Fsmall')).description, 'in the inner group');
  });

  it('erases the token at the end and leaves no temporary data', async () => {
    await target.running.services.queue.drain();
    const rows = await target.db.read.selectFrom('bulk_imports').select('encrypted_data').execute();
    assert.deepEqual(rows, [{ encrypted_data: null }]);
    const imports = await target.db.read.selectFrom('project_imports').select('encrypted_data').execute();
    assert.ok(imports.length > 0 && imports.every(({ encrypted_data }) => encrypted_data === null));
  });
});
