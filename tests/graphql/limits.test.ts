import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { getIntrospectionQuery } from 'graphql';
import { addUser } from '../support/cast.ts';
import { forEachEngine } from '../support/engines.ts';
import { askGraphql } from '../support/graphql.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const times = (count: number, write: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => write(at)).join(' ');

forEachEngine((engine) => {
  describe('GraphQL limits', () => {
    let server: TestServer;
    let token: string;

    before(async () => {
      server = await startTestServer(engine);
      ({ token } = await addUser(server));
    });

    const answerTo = async (query: string, who: string | null = token) => {
      const { status, body } = await askGraphql(server, query, {}, { token: who });
      return [status, body.errors?.[0]?.message];
    };

    it('limit complexity to 200 for anonymous callers, 250 for users and 300 for administrators', async () => {
      const fields = (count: number) => `{ ${times(count, (at) => `a${at}: __typename`)} }`;
      for (const [who, limit] of [
        [null, 200],
        [token, 250],
        [undefined, 300],
      ] as const) {
        const sending = who === undefined ? {} : { token: who };
        const most = await askGraphql(server, fields(limit), {}, sending);
        assert.equal(most.body.errors, undefined);
        const over = await askGraphql(server, fields(limit + 1), {}, sending);
        const message = `Query has complexity of ${limit + 1}, which exceeds max complexity of ${limit}`;
        assert.deepEqual(over.body, { errors: [{ message }] });
      }
      const { body } = await askGraphql(
        server,
        '{ queryComplexity { score limit } currentUser { id } }',
        {},
        { token },
      );
      assert.deepEqual(body.data.queryComplexity, { score: 5, limit: 250 });
    });

    it('share the complexity limit among the queries of one request', async () => {
      const query = `{ ${times(100, (at) => `a${at}: __typename`)} }`;
      const { status, body } = await server.api('POST /api/graphql', {
        token,
        json: [{ query }, { query }, { query }],
      });
      assert.equal(status, 200);
      assert.deepEqual(
        body.map(({ errors }: { errors?: unknown[] }) => errors?.length ?? 0),
        [0, 0, 1],
      );
    });

    it('limit query depth', async () => {
      const deep = (count: number) =>
        `{ group(fullPath: "a") { ${'parent { '.repeat(count)} id ${'} '.repeat(count)} } }`;
      assert.deepEqual(await answerTo(deep(18)), [200, undefined]);
      assert.deepEqual(await answerTo(deep(19)), [200, 'Query has depth of 21, which exceeds max depth of 20']);
    });

    it('limit the length and number of queries and the body size', async () => {
      const text = (length: number) => `{ currentUser { id } } #${'x'.repeat(length - 24)}`;
      assert.deepEqual(await answerTo(text(10_000)), [200, undefined]);
      assert.deepEqual(await answerTo(text(10_001)), [422, 'Query too large']);
      const json = [{ query: text(5000) }, { query: text(5001) }];
      assert.equal((await server.api('POST /api/graphql', { token, json })).status, 422);
      const many = Array.from({ length: 51 }, () => ({ query: '{a}' }));
      const answer = await server.api('POST /api/graphql', { token, json: many });
      assert.deepEqual([answer.status, answer.body], [422, { errors: [{ message: 'Too many queries' }] }]);
      const large = { query: '{ __typename }', variables: { text: 'x'.repeat(70_000) } };
      assert.equal((await server.api('POST /api/graphql', { token: null, json: large })).status, 413);
      assert.equal((await server.api('POST /api/graphql', { token, json: large })).status, 200);
    });

    it('reject circular fragments and excessive selections', async () => {
      const round = '{ currentUser { ...a } } fragment a on User { id ...b } fragment b on User { name ...a }';
      assert.match(String((await answerTo(round))[1]), /Cannot spread fragment "a" within itself/);
      const deep = '{ group(fullPath: "a") { ...a } } fragment a on Group { parent { ...a } }';
      assert.match(String((await answerTo(deep))[1]), /exceeds max depth of 20/);
      const doubling = times(
        20,
        (at) => `fragment f${at} on Group { a: parent { ...f${at + 1} } b: parent { ...f${at + 1} } }`,
      );
      const bomb = `{ group(fullPath: "a") { ...f0 } } ${doubling} fragment f20 on Group { id }`;
      assert.deepEqual(await answerTo(bomb), [200, 'Query has too many selections']);
      assert.deepEqual(await answerTo(`{ ${'__typename '.repeat(900)} }`), [200, 'Validation aborted.']);
      assert.deepEqual(await answerTo(`{ ${'a '.repeat(4900)} }`), [200, 'Query has too many selections']);
      assert.match(String((await answerTo(`{ ${'a{'.repeat(4000)}`))[1]), /Syntax Error|Maximum/);
    });

    it('allow the standard introspection query but not excessive introspection', async () => {
      assert.deepEqual(await answerTo(getIntrospectionQuery(), null), [200, undefined]);
      const nested = `{ __schema { types { ${'fields { type { '.repeat(8)} name ${'} } '.repeat(8)} } } }`;
      assert.match(String((await answerTo(nested))[1]), /Maximum introspection depth exceeded/);
      const again = `{ ${times(10, (at) => `a${at}: __schema { ...s }`)} } fragment s on __Schema { types { ${times(60, (at) => `n${at}: name`)} } }`;
      assert.deepEqual(await answerTo(again), [200, 'Query has too many introspection fields']);
    });

    it('limit the number of API calls per request', async () => {
      const { token: own } = await addUser(server);
      const project = await server.must('POST /projects', { token: own, json: { name: 'Busy', visibility: 'public' } });
      for (let at = 0; at < 31; at += 1) {
        await server.must(`POST /projects/${project.id}/issues`, { token: own, json: { title: `Issue ${at}` } });
      }
      const lists = times(10, (at) => `d${at}: discussions(first: ${at + 1}) { nodes { id } }`);
      const query = `{ project(fullPath: "${project.path_with_namespace}") { issues(first: 31) { nodes { ${lists} } } } }`;
      const { body } = await askGraphql(server, query, {}, { token: own });
      assert.equal(body.errors[0].message, 'Query needs more than 300 reads');
    });

    it('reject invalid queries', async () => {
      assert.deepEqual(await answerTo(''), [200, 'No query string was present']);
      assert.match(String((await answerTo('{'))[1]), /Syntax Error/);
      assert.deepEqual(await answerTo('fragment a on User { id }'), [200, 'The document has no operation']);
      assert.deepEqual(await answerTo('query a { __typename } query b { __typename }'), [
        200,
        'An operation name is required',
      ]);
      const empty = await server.api('POST /api/graphql', { token, json: {} });
      assert.equal(empty.body.errors[0].message, 'No query string was present');
      assert.equal((await server.api('POST /api/graphql', { token })).status, 200);
      const headers = { 'content-type': 'application/json' };
      for (const body of ['{', '"text"', '7', '[7]', '{"query":7}', '{"query":"{a}","variables":7}']) {
        const answer = await server.api('POST /api/graphql', { token, body, headers });
        assert.deepEqual([body, answer.status], [body, 422]);
        assert.equal(typeof answer.body.errors[0].message, 'string');
      }
      const deep = `{"variables":${'['.repeat(5000)}${']'.repeat(5000)}}`;
      assert.equal((await server.api('POST /api/graphql', { token, body: deep, headers })).status, 400);
      assert.equal(
        (await server.api('POST /api/graphql', { token, body: 'x', headers: { 'content-type': 'text/plain' } })).status,
        415,
      );
    });
  });
});
