import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Kind, parse } from 'graphql';
import { maxDepth, measureComplexity, TooManySelections } from '../../src/graphql/engine/complexity.ts';
import { expectGlobalId } from '../../src/graphql/engine/global-ids.ts';
import { cursorAt, type PageArguments, pagesOf, windowOf } from '../../src/graphql/engine/window.ts';
import { draftTitle } from '../../src/graphql/merge-requests/mutations.ts';
import { schema } from '../../src/graphql/schema.ts';

function complexityOf(query: string, variables = {}) {
  const document = parse(query);
  const operation = document.definitions.find((each) => each.kind === Kind.OPERATION_DEFINITION);
  assert.ok(operation);
  return measureComplexity(schema(), document, operation, variables);
}

describe('query complexity', () => {
  const table: [query: string, complexity: number, depth: number][] = [
    ['{ currentUser { id } }', 2, 2],
    ['{ currentUser { id id } }', 2, 2],
    ['{ a: currentUser { id } b: currentUser { id } }', 4, 2],
    ['{ ...a } fragment a on Query { currentUser { id name } }', 3, 2],
    ['{ currentUser { ... on User { id } } }', 2, 2],
    // 3 fields (projects, nodes and id), plus 1% of that for each of a hundred elements.
    ['{ projects { nodes { id } } }', 6, 3],
    ['{ projects(first: 10) { nodes { id } } }', 3, 3],
    ['query ($n: Int = 50) { projects(first: $n) { nodes { id } } }', 4, 3],
    ['{ projects(first: 1000000) { nodes { id } } }', 6, 3],
    ['{ projects(search: "a", first: 0) { nodes { id } } }', 8, 3],
    ['{ project(fullPath: "a/b") { mergeRequests(iids: ["1"]) { nodes { id } } } }', 4, 4],
    ['{ project(fullPath: "a/b") { mergeRequest(iid: "1") { assignees { nodes { id } } } } }', 5, 5],
    ['{ nonsense { more } }', 2, 2],
    ['{ __typename }', 1, 1],
  ];
  for (const [query, complexity, depth] of table) {
    it(query, () => {
      const result = complexityOf(query);
      assert.deepEqual([result.complexity, result.depth], [complexity, depth]);
    });
  }

  it('counts introspection fields separately', () => {
    assert.deepEqual(complexityOf('{ __schema { types { name } } }'), { depth: 0, complexity: 0, introspection: 3 });
  });

  it('terminates on circular and exponentially nested fragments', () => {
    const round = '{ ...a } fragment a on Query { currentUser { ...b } } fragment b on User { ...b x { ...b } }';
    assert.equal(complexityOf(round).depth, maxDepth + 1);
    const doubling = Array.from(
      { length: 30 },
      (_, at) => `fragment f${at} on Query { a${at}: x { ...f${at + 1} } b${at}: x { ...f${at + 1} } }`,
    );
    assert.throws(() => complexityOf(`{ ...f0 } ${doubling.join(' ')}`), TooManySelections);
    assert.throws(() => complexityOf(`{ ${'a '.repeat(4000)} }`), TooManySelections);
  });
});

describe('list windows', () => {
  const at = (place: number) => cursorAt(place);
  const table: [given: PageArguments, from: number, to: number][] = [
    [{}, 0, 100],
    [{ first: 5 }, 0, 5],
    [{ first: 5000 }, 0, 100],
    [{ first: 5, after: at(4) }, 5, 10],
    [{ first: 0 }, 0, 0],
    [{ last: 5 }, 25, 30],
    [{ last: 5, before: at(20) }, 15, 20],
    [{ last: 50, before: at(3) }, 0, 3],
    [{ first: 10, before: at(3) }, 0, 3],
    [{ first: 10, after: at(1), before: at(6) }, 2, 6],
    [{ last: 2, after: at(27) }, 28, 30],
    [{ after: at(40), last: 3 }, 41, 41],
    [{ after: at(10), before: at(5) }, 11, 11],
  ];
  for (const [given, from, to] of table) {
    it(JSON.stringify(given), () => assert.deepEqual(windowOf(given, 30), { from, to }));
  }

  for (const given of [{ first: -1 }, { last: -1 }, { after: 'nonsense' }, { before: '!!' }, { after: 'LTE' }]) {
    it(`rejects ${JSON.stringify(given)}`, () => assert.throws(() => windowOf(given, 30)));
  }

  it('are covered by one or two pages', () => {
    assert.deepEqual(pagesOf({ from: 0, to: 20 }, 20), [1]);
    assert.deepEqual(pagesOf({ from: 40, to: 60 }, 20), [3]);
    assert.deepEqual(pagesOf({ from: 5, to: 25 }, 20), [1, 2]);
  });
});

describe('global ids', () => {
  it('contain a model and an id', () => {
    assert.deepEqual(expectGlobalId('gid://gitlab/Ci::Pipeline/7', ['Ci::Pipeline']), {
      model: 'Ci::Pipeline',
      id: '7',
    });
  });
  for (const wrong of ['7', 'gid://gitlab/Project/', 'gid://other/Project/1', 'gid://gitlab/Project/1/../2', 7, null]) {
    it(`reject ${JSON.stringify(wrong)}`, () => assert.throws(() => expectGlobalId(wrong, ['Project'])));
  }
});

describe('draft titles', () => {
  const table: [title: string, draft: boolean, expected: string][] = [
    ['A', true, 'Draft: A'],
    ['[draft] A', true, '[draft] A'],
    ['Draft: (Draft) A', false, 'A'],
    ['A draft: B', false, 'A draft: B'],
  ];
  for (const [title, draft, expected] of table) {
    it(`${title} -> ${expected}`, () => assert.equal(draftTitle(title, draft), expected));
  }
});
