import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { indexLongTexts } from '../../../src/instance/background/long-texts.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const word = 'platypus';
const filling = 'some words about nothing in particular\n\n'.repeat(900);
const long = (said: string) => `${filling}here is a ${said}\n\n${filling}`;

forEachEngine((engine) => {
  describe('search in long texts', () => {
    let server: TestServer;
    let searches: readonly string[];

    before(async () => {
      server = await startTestServer(engine);
      const group = await server.must('POST /groups', { json: { name: 'Essays', path: 'essays' } });
      const json = { name: 'essays', namespace_id: group.id, initialize_with_readme: true };
      const project = await server.must('POST /projects', { json });
      const at = `/projects/${project.id}`;
      const description = long(word);
      const issue = await server.must(`POST ${at}/issues`, { json: { title: 'issue', description } });
      await server.must(`POST ${at}/issues/${issue.iid}/notes`, { json: { body: description } });
      await server.must(`POST ${at}/milestones`, { json: { title: 'milestone', description } });
      await server.must(`POST /groups/${group.id}/epics`, { json: { title: 'epic', description } });
      // Only the titles of snippets are searched.
      const title = `A ${word} in particular`;
      const files = [{ file_path: 'a.md', content: 'a' }];
      await server.must(`POST ${at}/snippets`, { json: { title, description, visibility: 'private', files } });
      const actions = [{ action: 'create', file_path: 'a', content: 'a' }];
      const commit = { branch: 'topic', start_branch: 'main', commit_message: 'a', actions };
      await server.must(`POST ${at}/repository/commits`, { json: commit });
      const request = { title: 'request', source_branch: 'topic', target_branch: 'main', description };
      await server.must(`POST ${at}/merge_requests`, { json: request });
      searches = [
        `${at}/issues?search=`,
        `${at}/merge_requests?search=`,
        `${at}/milestones?search=`,
        `/groups/${group.id}/epics?search=`,
        `${at}/search?scope=notes&search=`,
        `${at}/search?scope=milestones&search=`,
        '/search?scope=issues&search=',
        '/search?scope=merge_requests&search=',
        '/search?scope=snippet_titles&search=',
      ];
    });

    const totals = async (text: string) => {
      const found: number[] = [];
      for (const search of searches) found.push((await server.must(`GET ${search}${text}`)).length);
      return found;
    };
    const waiting = async () => {
      if (engine === 'postgres') return 0;
      const query = server.db.read.selectFrom('derived_search_waiting' as never);
      return (await query.selectAll().execute()).length;
    };

    it('finds each once, before and after its pieces are indexed', async () => {
      assert.equal(await waiting(), engine === 'sqlite' ? 6 : 0);
      const once = searches.map(() => 1);
      const never = searches.map(() => 0);
      assert.deepEqual([await totals(word), await totals('echidna')], [once, never]);
      await indexLongTexts(server.running.services);
      assert.equal(await waiting(), 0);
      assert.deepEqual(
        [await totals(word), await totals('in%20particular'), await totals('echidna')],
        [once, once, never],
      );
    });
  });
});
