import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { atOnce, statuses } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';
import { addPerson } from '../../support/scene.ts';
import type { Answer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('feature flags', () => {
    let place: ProjectWithRoles;
    const says = (answer: Answer) => [answer.status, answer.body?.message ?? answer.body?.error];
    const at = (rest = '') => `${place.base}/feature_flags${rest}`;
    const create = (json: object) => place.asDeveloper(`POST ${at()}`, { json });
    const put = (name: string, json: object) => place.asDeveloper(`PUT ${at(`/${name}`)}`, { json });
    const names = (answer: Answer) => answer.body.map(({ name }: { name: string }) => name);
    const numbered = { id: 0, created_at: '', updated_at: '' };

    before(async () => {
      place = await projectWithRoles(engine, 'flagged');
    });

    it('are created, shown, listed by name, updated and deleted', async () => {
      const strategies = [{ name: 'default', parameters: {}, scopes: [{ environment_scope: 'production' }] }];
      const made = await create({ name: 'new-cart', version: 'new_version_flag', description: 'A cart', strategies });
      assert.equal(made.status, 201, made.text);
      const [strategy] = made.body.strategies;
      assert.deepEqual(
        { ...made.body, ...numbered },
        {
          ...numbered,
          ...{ name: 'new-cart', description: 'A cart', active: true, version: 'new_version_flag', scopes: [] },
          strategies: [{ ...strategy, name: 'default', parameters: {}, user_list: null }],
        },
      );
      assert.equal(strategy.scopes[0].environment_scope, 'production');
      assert.equal((await create({ name: 'a_flag', active: false })).body.active, false);
      assert.deepEqual(names(await place.asDeveloper(`GET ${at()}`)), ['a_flag', 'new-cart']);
      assert.deepEqual(names(await place.asDeveloper(`GET ${at('?scope=enabled')}`)), ['new-cart']);
      assert.deepEqual(names(await place.asDeveloper(`GET ${at('?scope=disabled')}`)), ['a_flag']);
      const changed = await put('new-cart', { name: 'old-cart', description: null, active: false });
      assert.deepEqual([changed.body.name, changed.body.description, changed.body.active], ['old-cart', null, false]);
      assert.deepEqual(changed.body.strategies, made.body.strategies);
      assert.equal((await place.asDeveloper(`GET ${at('/new-cart')}`)).status, 404);
      const gone = await place.asDeveloper(`DELETE ${at('/old-cart')}`);
      assert.deepEqual([gone.status, gone.body.version], [200, 'new_version_flag']);
      assert.deepEqual(says(await place.asDeveloper(`GET ${at('/old-cart')}`)), [404, '404 Not found']);
      assert.deepEqual(says(await place.asDeveloper(`DELETE ${at('/old-cart')}`)), [404, '404 Not found']);
    });

    it('support adding, changing and removing strategies and scopes', async () => {
      const rollout = { name: 'gradualRolloutUserId', parameters: { groupId: 'default', percentage: '25' } };
      await create({ name: 'many', strategies: [{ ...rollout, scopes: [{ environment_scope: 'staging' }] }] });
      const added = await put('many', {
        strategies: [{ name: 'userWithId', parameters: { userIds: 'one,two' }, scopes: [{ environment_scope: '*' }] }],
      });
      const [first, second] = added.body.strategies;
      assert.deepEqual([first.name, second.name], ['gradualRolloutUserId', 'userWithId']);
      const [staging] = first.scopes;
      const scopes = [{ id: staging.id, _destroy: true }, { environment_scope: 'review/*' }];
      const changed = await put('many', {
        strategies: [
          { id: first.id, parameters: { groupId: 'default', percentage: '100' }, scopes },
          { id: second.id, _destroy: true },
        ],
      });
      assert.equal(changed.body.strategies.length, 1);
      const [left] = changed.body.strategies;
      assert.deepEqual([left.id, left.parameters.percentage], [first.id, '100']);
      assert.deepEqual(
        left.scopes.map(({ environment_scope }: { environment_scope: string }) => environment_scope),
        ['review/*'],
      );
      assert.deepEqual(says(await put('many', { strategies: [{ id: second.id, _destroy: true }] })), [
        404,
        '404 Not found',
      ]);
      await create({ name: 'other', strategies: [{ name: 'default' }] });
      assert.equal((await put('other', { strategies: [{ id: first.id, _destroy: true }] })).status, 404);
      assert.deepEqual((await place.asDeveloper(`GET ${at('/many')}`)).body, changed.body);
    });

    const refused: readonly [string, object, string | readonly string[]][] = [
      ['a blank name', { name: '' }, ["Name can't be blank"]],
      ['a one-letter name', { name: 'a' }, ['Name is too short (minimum is 2 characters)']],
      ['a long name', { name: 'a'.repeat(64) }, ['Name is too long (maximum is 63 characters)']],
      ['a long description', { description: 'a'.repeat(256) }, ['Description is too long (maximum is 255 characters)']],
      ['an unknown strategy', { strategies: [{ name: 'x' }] }, ['Strategies name strategy name is invalid']],
      [
        'parameters of a different strategy',
        { strategies: [{ name: 'default', parameters: { userIds: 'a' } }] },
        ['Strategies parameters parameters are invalid'],
      ],
      [
        'parameters that are not an object',
        { strategies: [{ name: 'userWithId', parameters: 'userIds' }] },
        ['Strategies parameters parameters are invalid'],
      ],
      [
        'a percentage that is a number',
        { strategies: [{ name: 'gradualRolloutUserId', parameters: { groupId: 'default', percentage: 25 } }] },
        ['Strategies parameters percentage must be a string between 0 and 100 inclusive'],
      ],
      [
        'a percentage out of range',
        { strategies: [{ name: 'flexibleRollout', parameters: { groupId: 'A', rollout: '101', stickiness: 'x' } }] },
        [
          'Strategies parameters groupId parameter is invalid',
          'Strategies parameters rollout must be a string between 0 and 100 inclusive',
          'Strategies parameters stickiness parameter must be default, userId, sessionId, or random',
        ],
      ],
      [
        'a duplicate user',
        { strategies: [{ name: 'userWithId', parameters: { userIds: 'a, a' } }] },
        ['Strategies parameters userIds must be a string of unique comma separated values each 256 characters or less'],
      ],
      ['a missing user list', { strategies: [{ name: 'gitlabUserList' }] }, ["Strategies user list can't be blank"]],
      [
        'an unknown user list',
        { strategies: [{ name: 'gitlabUserList', user_list_id: 999 }] },
        ['Strategies user list must belong to the same project'],
      ],
      [
        'a duplicate scope',
        { strategies: [{ name: 'default', scopes: [{ environment_scope: '*' }, { environment_scope: '*' }] }] },
        ['Strategies scopes environment scope has already been taken'],
      ],
      ['strategies that are not an array', { strategies: 'all' }, 'strategies is invalid'],
      ['a strategy without a name', { strategies: [{}] }, 'strategies[0][name] is missing'],
    ];
    for (const [what, json, text] of refused) {
      it(`reject ${what} without changes`, async () => {
        assert.deepEqual(says(await create({ name: 'refused', ...json })), [400, text]);
        assert.equal((await place.asDeveloper(`GET ${at('/refused')}`)).status, 404);
      });
    }

    it('require unique names of lowercase letters, digits, underscores and dashes', async () => {
      for (const name of ['Upper', '1st', 'ends-', 'ends_', 'with space', 'a/b', 'ünder']) {
        const [status, [text]] = says(await create({ name }));
        assert.equal(status, 400);
        assert.match(text, /^Name can contain only lowercase letters/);
      }
      assert.deepEqual(says(await create({ name: 'legacy', version: 'legacy_flag' })), [422, 'Version is invalid']);
      await create({ name: 'taken' });
      assert.deepEqual(says(await create({ name: 'taken' })), [400, ['Name has already been taken']]);
      await create({ name: 'free' });
      assert.deepEqual(says(await put('free', { name: 'taken' })), [400, ['Name has already been taken']]);
    });

    it('require the Developer role and the enabled feature', async () => {
      const flag = { json: { name: 'mine' } };
      const as = (token: string | null) => ({ token });
      for (const [token, status] of [
        [place.reporter.token, 403],
        [null, 401],
        [(await addPerson(place.server, 'stranger')).token, 404],
      ] as const) {
        assert.equal((await place.server.api(`GET ${at()}`, as(token))).status, token === null ? 401 : status);
        assert.equal((await place.server.api(`POST ${at()}`, { ...as(token), ...flag })).status, status);
        assert.equal((await place.server.api(`GET ${place.base}/feature_flags_user_lists`, as(token))).status, status);
      }
      assert.equal((await place.asDeveloper(`GET ${place.base}/feature_flags_client`)).status, 403);
      await place.asOwner(`PUT ${place.base}`, { json: { feature_flags_access_level: 'disabled' } });
      assert.equal((await create({ name: 'mine' })).status, 403);
      assert.equal((await place.asOwner(`GET ${at()}`)).status, 403);
      await place.asOwner(`PUT ${place.base}`, { json: { feature_flags_access_level: 'enabled' } });
      assert.equal((await place.asDeveloper(`GET ${at('/mine')}`)).status, 404);
    });

    it('keep both of two concurrent changes', async () => {
      await create({ name: 'raced' });
      await atOnce(2, (index) =>
        put('raced', { strategies: [{ name: 'default', scopes: [{ environment_scope: `e${index}` }] }] }),
      );
      const { body } = await place.asDeveloper(`GET ${at('/raced')}`);
      assert.equal(body.strategies.length, 2);
    });

    it('are audited, and trigger webhooks when toggled', async () => {
      const hook = { url: 'http://hooks.example/', feature_flag_events: true };
      const { body } = await place.asOwner(`POST ${place.base}/hooks`, { json: hook });
      await create({ name: 'told', description: 'Told' });
      await put('told', { description: 'Said' });
      await put('told', { active: false });
      await place.asDeveloper(`DELETE ${at('/told')}`);
      await place.server.running.services.queue.drain();
      const events = await place.asOwner(`GET ${place.base}/hooks/${body.id}/events`);
      const payloads = events.body.map(({ request_data }: { request_data: object }) => request_data);
      assert.equal(payloads.length, 1, events.text);
      const [{ object_kind, user, user_url, object_attributes }] = payloads;
      assert.deepEqual([object_kind, user.username], ['feature_flag', place.developer.user.username]);
      assert.ok(user_url.endsWith(`/${place.developer.user.username}`));
      assert.deepEqual({ ...object_attributes, id: 0 }, { id: 0, name: 'told', description: 'Said', active: false });
      const record = await place.asOwner(`GET ${place.base}/audit_events?per_page=100`);
      const reported = record.body.filter((event: { details: { target_details: string } }) => {
        return event.details.target_details === 'told';
      });
      assert.deepEqual(reported.map(({ event_name }: { event_name: string }) => event_name).sort(), [
        'feature_flag_created',
        'feature_flag_deleted',
        'feature_flag_updated',
        'feature_flag_updated',
      ]);
    });

    it('are limited to 200 per project', async () => {
      const { db } = place.server;
      const has = Number((await place.asDeveloper(`GET ${at()}`)).headers.get('x-total'));
      const row = { project_id: place.project.id, description: null, active: 1, created_at: 1, updated_at: 1 };
      const rows = Array.from({ length: 199 - has }, (_, number) => ({ ...row, name: `filling-${number}` }));
      await db.write((trx) => trx.insertInto('feature_flags').values(rows).execute());
      const last = await atOnce(4, (index) => create({ name: `last-${index}a` }));
      assert.deepEqual(statuses(last), { 201: 1, 400: 3 });
      assert.deepEqual(says(await create({ name: 'over' })), [
        400,
        ['Maximum number of project feature flags (200) exceeded'],
      ]);
    });
  });
});
