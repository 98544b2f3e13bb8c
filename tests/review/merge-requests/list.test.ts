import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { type ReviewScene, reviewScene } from '../../support/merge-requests.ts';
import { addProject, type Person } from '../../support/scene.ts';

forEachEngine((engine) => {
  describe('merge request lists', () => {
    let scene: ReviewScene;

    const titles = async (path: string, person: Person | null = scene.owner) => {
      const { status, body } = await scene.api(person, `GET ${path}`);
      assert.equal(status, 200, JSON.stringify(body));
      return body.map((request: { title: string }) => request.title);
    };
    const own = (query: string, person: Person | null = scene.owner) => titles(`${scene.base}?${query}`, person);

    before(async () => {
      scene = await reviewScene(engine);
      const { owner, developer, reporter } = scene;
      for (const name of ['a', 'b', 'c']) await scene.branch(name, `${name}.txt`, name);
      await scene.open(owner, 'a', { title: 'alpha', labels: 'bug,ui', assignee_id: developer.user.id });
      await scene.open(developer, 'b', {
        title: 'Draft: beta',
        description: 'needle in hay',
        reviewer_ids: [reporter.user.id],
        labels: 'bug',
      });
      await scene.open(developer, 'c', { title: 'gamma', target_branch: 'b' });
      await scene.server.must(`PUT ${scene.base}/3?state_event=close`, { token: owner.token });
    });

    it('support all filters', async () => {
      const { owner, developer, reporter } = scene;
      const cases: [string, string[]][] = [
        ['', ['gamma', 'Draft: beta', 'alpha']],
        ['sort=asc', ['alpha', 'Draft: beta', 'gamma']],
        ['order_by=title&sort=asc', ['alpha', 'Draft: beta', 'gamma']],
        ['state=opened', ['Draft: beta', 'alpha']],
        ['state=closed', ['gamma']],
        ['state=merged', []],
        ['state=locked', []],
        ['wip=yes', ['Draft: beta']],
        ['wip=no', ['gamma', 'alpha']],
        ['labels=bug', ['Draft: beta', 'alpha']],
        ['labels=bug,ui', ['alpha']],
        ['labels=None', ['gamma']],
        ['labels=any', ['Draft: beta', 'alpha']],
        ['labels=ui,Any', ['Draft: beta', 'alpha']],
        ['labels=None,ui', ['gamma']],
        ['not[labels]=ui', ['gamma', 'Draft: beta']],
        [`author_id=${owner.user.id}`, ['alpha']],
        [`author_username=${developer.user.username}`, ['gamma', 'Draft: beta']],
        [`not[author_id]=${owner.user.id}`, ['gamma', 'Draft: beta']],
        [`assignee_id=${developer.user.id}`, ['alpha']],
        ['assignee_id=None', ['gamma', 'Draft: beta']],
        ['assignee_id=Any', ['alpha']],
        [`reviewer_id=${reporter.user.id}`, ['Draft: beta']],
        [`reviewer_username=${reporter.user.username}`, ['Draft: beta']],
        ['reviewer_id=None', ['gamma', 'alpha']],
        ['source_branch=b', ['Draft: beta']],
        ['target_branch=b', ['gamma']],
        [`source_project_id=${scene.project.id}&source_branch=a`, ['alpha']],
        ['iids[]=1&iids[]=3', ['gamma', 'alpha']],
        ['search=NEEDLE', ['Draft: beta']],
        ['search=needle&in=title', []],
        ['milestone=None&state=closed', ['gamma']],
        ['milestone=Any', []],
        ['my_reaction_emoji=Any', []],
        ['approved_by_ids=None', ['gamma', 'Draft: beta', 'alpha']],
        ['approved_by_ids=Any', []],
        ['environment=production', []],
        ['deployed_after=2000-01-01T00:00:00Z&deployed_before=2100-01-01T00:00:00Z', []],
        ['approver_ids=None', ['gamma', 'Draft: beta', 'alpha']],
        [`approver_ids=${owner.user.id}`, []],
        ['with_merge_status_recheck=true&state=closed', ['gamma']],
        [`merge_user_id=${owner.user.id}`, []],
        ['created_after=2100-01-01T00:00:00Z', []],
        ['scope=created_by_me', ['alpha']],
      ];
      for (const [query, expected] of cases) assert.deepEqual(await own(query), expected, query);
    });

    it('reject invalid filters', async () => {
      const refused: [string, string][] = [
        ['author_id=1&author_username=x', 'author_id, author_username are mutually exclusive'],
        ['reviewer_id=1&reviewer_username=x', 'reviewer_id, reviewer_username are mutually exclusive'],
        ['not[author_id]=1&not[author_username]=x', 'not[author_id], not[author_username] are mutually exclusive'],
        ['state=nonsense', 'state does not have a valid value'],
        ['order_by=nonsense', 'order_by does not have a valid value'],
        ['approved_by_ids=1,2,3,4,5,6', 'approved_by_ids allows 5 values'],
        ['not[reviewer_id]=Any', 'not[reviewer_id] is invalid'],
      ];
      for (const [query, error] of refused) {
        const { status, body } = await scene.api(scene.owner, `GET ${scene.base}?${query}`);
        assert.deepEqual([status, body.error], [400, error], query);
      }
    });

    it('support different views', async () => {
      const [simple] = (await scene.api(null, `GET ${scene.base}?view=simple`)).body;
      assert.deepEqual(Object.keys(simple), [
        'id',
        'iid',
        'project_id',
        'title',
        'description',
        'state',
        'created_at',
        'updated_at',
        'web_url',
      ]);
      const query = 'source_branch=a&with_labels_details=true&render_html=true';
      const [detailed] = (await scene.api(null, `GET ${scene.base}?${query}`)).body;
      assert.deepEqual([detailed.labels[0].name, detailed.title_html], ['bug', 'alpha']);
      assert.equal('subscribed' in detailed, false);
    });

    it('of all projects contain what the caller can read', async () => {
      const { owner, outsider, developer, reporter } = scene;
      const hidden = await addProject(scene.server, owner, 'hidden');
      await scene.server.must(`POST /projects/${hidden.id}/merge_requests`, {
        token: owner.token,
        json: { title: 'unseen', source_branch: 'x', target_branch: 'y' },
      });
      assert.deepEqual(await titles('/merge_requests?scope=all', outsider), ['gamma', 'Draft: beta', 'alpha']);
      assert.deepEqual(await titles('/merge_requests?scope=all', null), ['gamma', 'Draft: beta', 'alpha']);
      assert.deepEqual(await titles('/merge_requests?scope=all'), ['unseen', 'gamma', 'Draft: beta', 'alpha']);
      assert.deepEqual(await titles('/merge_requests', developer), ['gamma', 'Draft: beta']);
      assert.deepEqual(await titles('/merge_requests?scope=reviews_for_me', reporter), ['Draft: beta']);
      assert.deepEqual(await titles('/merge_requests?scope=assigned-to-me', developer), ['alpha']);
      assert.equal((await scene.api(null, 'GET /merge_requests')).status, 401);
      assert.equal((await scene.api(outsider, `GET /projects/${hidden.id}/merge_requests`)).status, 404);
    });

    it('are rejected if merge requests are disabled', async () => {
      const off = await addProject(scene.server, scene.owner, 'off', 'public');
      await scene.server.must(`PUT /projects/${off.id}`, {
        token: scene.owner.token,
        json: { merge_requests_access_level: 'disabled' },
      });
      assert.equal((await scene.api(scene.outsider, `GET /projects/${off.id}/merge_requests`)).status, 403);
    });

    it('execute a constant number of queries', async () => {
      const queries = (size: number) =>
        scene.server.queriesOf(() => scene.server.must(`GET ${scene.base}?sort=asc&per_page=${size}`));
      assert.equal(await queries(3), await queries(1));
    });

    it('by label or user follow state changes by any cause', async () => {
      const { owner, developer, reporter, server } = scene;
      const made = await (async () => {
        await scene.branch('d', 'd.txt', 'd');
        return scene.open(owner, 'd', {
          title: 'delta',
          labels: 'moving',
          assignee_id: developer.user.id,
          reviewer_ids: [reporter.user.id],
        });
      })();
      await server.must(`POST ${scene.base}/${made.iid}/approve`, { token: developer.token });
      const filters = [
        'labels=moving',
        'labels=moving,moving',
        `assignee_id=${developer.user.id}&author_id=${owner.user.id}&labels=moving`,
        `reviewer_id=${reporter.user.id}&labels=moving`,
        `approved_by_ids[]=${developer.user.id}`,
        'approved_by_ids=Any',
      ];
      const everywhere = async (expected: string) => {
        for (const filter of filters) {
          for (const state of ['opened', 'closed', 'merged', 'all']) {
            const found = await own(`state=${state}&${filter}`);
            assert.deepEqual(found, state === expected || state === 'all' ? ['delta'] : [], `${filter} ${state}`);
          }
        }
      };
      await everywhere('opened');
      await server.must(`PUT ${scene.base}/${made.iid}?state_event=close`, { token: owner.token });
      await everywhere('closed');
      await server.must(`PUT ${scene.base}/${made.iid}?add_labels=late`, { token: owner.token });
      assert.deepEqual([await own('state=closed&labels=late'), await own('state=opened&labels=late')], [['delta'], []]);
      await server.must(`PUT ${scene.base}/${made.iid}?state_event=reopen`, { token: owner.token });
      await server.must(`PUT ${scene.base}/${made.iid}/merge`, { token: owner.token });
      await everywhere('merged');
      for (const table of [
        'merge_request_labels',
        'merge_request_assignees',
        'merge_request_reviewers',
        'merge_request_approvals',
      ] as const) {
        const rows = await server.db.read
          .selectFrom(table)
          .innerJoin('merge_requests as r', 'r.id', 'merge_request_id')
          .select(['request_state', `${table}.project_id as copied`, 'r.state', 'r.project_id'])
          .execute();
        for (const row of rows) assert.deepEqual([row.request_state, row.copied], [row.state, row.project_id], table);
      }
    });
  });
});
