/** Uses IDs and paths of foreign objects wherever the GraphQL schema accepts one: they must not be read, used or changed. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { sql } from 'kysely';
import { idScalars } from '../../src/graphql/engine/global-ids.ts';
import { schema } from '../../src/graphql/schema.ts';
import { forEachEngine } from '../support/engines.ts';
import { askGraphql } from '../support/graphql.ts';
import { type PopulatedGroup, populateGroup, rowsOf } from '../support/populated-group.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const theirs = 'nightingale';
const ours = 'magpie';

/** A group with the global IDs of what it contains. */
interface Side extends PopulatedGroup {
  readonly path: string;
  readonly ids: ReadonlyMap<string, readonly (number | string)[]>;
}

type Input = Pick<GraphQLArgument, 'name' | 'type'>;

const tables: Readonly<Record<string, string>> = {
  ...{ Issue: 'issues', WorkItem: 'issues', MergeRequest: 'merge_requests', Label: 'labels', Milestone: 'milestones' },
  ...{ Note: 'notes', Snippet: 'snippets', 'Ci::Pipeline': 'pipelines', 'Ci::Build': 'ci_jobs', Todo: 'todos' },
};
const fixed = new Set(['User', 'Project', 'Group', 'Namespace', 'Discussion', 'WorkItems::Type']);

async function sideOf(server: TestServer, group: PopulatedGroup): Promise<Side> {
  const read = server.db.read;
  const ids = new Map<string, readonly (number | string)[]>();
  ids.set('WorkItems::Type', [1]).set('User', [group.owner.id]).set('Project', [group.project.id]);
  ids.set('Group', [group.group.id]).set('Namespace', [group.group.id]);
  const inProject = sql`project_id = ${group.project.id}`;
  const inGroup = sql`(${inProject} or namespace_id = ${group.group.id})`;
  for (const [model, table] of Object.entries(tables)) {
    const owned = /labels|milestones/.test(table) ? inGroup : inProject;
    const found = sql<{
      id: number;
    }>`select id from ${sql.table(table)} where ${owned} order by project_id is null, id`;
    const numbers = (await found.execute(read)).rows.map(({ id }) => Number(id));
    assert.ok(numbers.length > 0, `${group.word} has no ${table}`);
    ids.set(model, numbers);
  }
  const threads = sql<{ id: string }>`select distinct discussion_id as id from notes where ${inProject}`;
  ids.set(
    'Discussion',
    (await threads.execute(read)).rows.map(({ id }) => id),
  );
  return { ...group, path: group.project.path_with_namespace, ids };
}

/** The models of the global IDs that an input accepts. */
function modelsOf({ name, type }: Input): readonly string[] {
  const scalar = getNamedType(type).name;
  if (idScalars[scalar]) return idScalars[scalar].filter((model) => tables[model] || fixed.has(model));
  if (scalar !== 'ID' || name === 'iid') return [];
  const named = name.replace(/^(add|remove)/, '').replace(/Ids?$/, '');
  return [...Object.keys(tables), 'User'].filter((model) => model.toLowerCase() === named.toLowerCase());
}

const groupOf = ({ path }: Side) => path.split('/')[0];
const isPath = ({ name, type }: Input) => getNamedType(type).name === 'ID' && /path$/i.test(name);
const inList = (type: GraphQLInputType, value: unknown) =>
  isListType(isNonNullType(type) ? type.ofType : type) ? [value] : value;

/** A valid value for an input that belongs to a side. */
function valueFor(input: Input, side: Side, optional: 'with optional' | 'without'): unknown {
  const type = getNamedType(input.type);
  const [model] = modelsOf(input);
  if (model) return inList(input.type, `gid://gitlab/${model}/${side.ids.get(model)?.[0]}`);
  if (isPath(input)) {
    const value = /group|namespace/i.test(input.name) ? groupOf(side) : side.path;
    return inList(input.type, value);
  }
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).filter(
      (field) => optional === 'with optional' || isNonNullType(field.type),
    );
    const values = fields.map((field) => [field.name, valueFor(field, side, optional)]);
    return inList(input.type, Object.fromEntries(values));
  }
  if (isEnumType(type)) return inList(input.type, type.getValues()[0]?.name);
  const simple: Record<string, unknown> = {
    ...{ ID: '1', Int: 1, Float: 1, Boolean: true, Time: '2030-01-01T00:00:00Z', Date: '2030-01-01', JSON: {} },
  };
  return inList(input.type, simple[type.name] ?? (input.name === 'iid' ? '1' : ours));
}

/** Values for an input in which everything belongs to one side, except a single ID or path of the other. */
function* mixed(input: Input, own: Side, foreign: Side): Generator<unknown> {
  const type = getNamedType(input.type);
  for (const model of modelsOf(input).filter((one) => one !== 'WorkItems::Type')) {
    for (const id of foreign.ids.get(model) ?? []) yield inList(input.type, `gid://gitlab/${model}/${id}`);
  }
  if (isPath(input)) for (const path of [foreign.path, groupOf(foreign)]) yield inList(input.type, path);
  if (isInputObjectType(type)) {
    const base = valueFor({ name: input.name, type }, own, 'without') as object;
    for (const field of Object.values(type.getFields())) {
      for (const value of mixed(field, own, foreign)) yield inList(input.type, { ...base, [field.name]: value });
    }
  }
}

/** All leaves of a type that need no arguments, also those of the objects in a list or in the payload of a mutation. */
function selectionOf(type: GraphQLOutputType): string {
  const named = getNamedType(type);
  if (isLeafType(named)) return '';
  if (!isObjectType(named)) return '{ __typename }';
  const free = Object.values(named.getFields()).filter(({ args }) => !args.some((arg) => isNonNullType(arg.type)));
  const leaves = free.filter((field) => isLeafType(getNamedType(field.type))).map(({ name }) => name);
  const isAround = /(Payload|Connection)$/.test(named.name);
  const inside = free.filter((field) => isAround && !isLeafType(getNamedType(field.type)) && field.name !== 'edges');
  const inner = inside.map((field) => `${field.name} ${selectionOf(field.type)}`);
  return `{ __typename ${[...leaves, ...inner].join(' ')} }`;
}

interface Query {
  readonly text: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

type Field = GraphQLField<unknown, unknown>;

/** A query for a field with the given arguments, within an outer field. */
function queryFor(
  kind: 'query' | 'mutation',
  field: Field,
  values: Readonly<Record<string, unknown>>,
  outer = '%',
): Query {
  const sent = field.args.filter(({ name }) => name in values);
  const declared = sent.map(({ name, type }) => `$${name}: ${type}`).join(', ');
  const passed = sent.map(({ name }) => `${name}: $${name}`).join(', ');
  const called = `${field.name}${passed && `(${passed})`} ${selectionOf(field.type)}`;
  return { text: `${kind} ${declared && `(${declared})`} { ${outer.replace('%', called)} }`, variables: values };
}

const argumentsOf = (field: Field, value: (arg: GraphQLArgument) => unknown) =>
  Object.fromEntries(field.args.filter((arg) => isNonNullType(arg.type)).map((arg) => [arg.name, value(arg)]));

/** Queries of a field that belongs to one side, each with an ID or path of the other. */
function* foreignQueries(
  kind: 'query' | 'mutation',
  field: Field,
  own: Side,
  foreign: Side,
  outer?: string,
): Generator<Query> {
  const base = argumentsOf(field, (arg) => valueFor(arg, own, 'without'));
  for (const arg of field.args) {
    for (const value of mixed(arg, own, foreign)) yield queryFor(kind, field, { ...base, [arg.name]: value }, outer);
  }
}

const fieldsOf = (type: GraphQLObjectType | null | undefined): readonly Field[] =>
  Object.values(type?.getFields() ?? {});

forEachEngine((engine) => {
  describe('GraphQL and objects of another project or group', () => {
    let server: TestServer;
    let victim: Side;
    let attacker: Side;
    let sent = 0;

    before(async () => {
      server = await startTestServer(engine);
      const [their, our] = [await populateGroup(server, theirs), await populateGroup(server, ours)];
      [victim, attacker] = [await sideOf(server, their), await sideOf(server, our)];
    });

    async function send({ text, variables }: Query): Promise<void> {
      const answer = await askGraphql(server, text, variables, { token: attacker.owner.token });
      const where = `${text} ${JSON.stringify(variables)}: ${answer.status} ${answer.text.slice(0, 500)}`;
      assert.equal(answer.status, 200, where);
      assert.ok(!answer.text.includes('Internal server error'), where);
      // The query itself must be valid, or nothing would be tested.
      assert.ok(
        !answer.body.errors?.some(({ message }: Error) => /complexity|provided invalid value|Syntax/.test(message)),
        where,
      );
      assert.ok(!JSON.stringify(answer.body.data ?? null).includes(theirs), where);
      sent += 1;
    }

    it('are not readable', async () => {
      const [query, project, group] = ['Query', 'Project', 'Group'].map(
        (name) => schema().getType(name) as GraphQLObjectType,
      );
      for (const field of fieldsOf(query)) {
        if (field.name === 'echo') continue;
        for (const one of foreignQueries('query', field, attacker, victim)) await send(one);
      }
      for (const [type, outer] of [
        [project, `project(fullPath: "${attacker.path}") { % }`],
        [group, `group(fullPath: "${groupOf(attacker)}") { % }`],
      ] as const) {
        for (const field of fieldsOf(type)) {
          for (const one of foreignQueries('query', field, attacker, victim, outer)) await send(one);
        }
      }
      assert.ok(sent > 10, `${sent} queries`);
    });

    it('are neither used nor changed', async () => {
      const rows = await rowsOf(server.db, victim);
      assert.ok(rows.size > 100, `${rows.size} rows`);
      for (const field of fieldsOf(schema().getMutationType())) {
        if (field.name === 'echoCreate') continue;
        for (const optional of ['with optional', 'without'] as const) {
          await send(
            queryFor(
              'mutation',
              field,
              argumentsOf(field, (arg) => valueFor(arg, victim, optional)),
            ),
          );
        }
        for (const one of foreignQueries('mutation', field, attacker, victim)) await send(one);
      }
      assert.ok(sent > 100, `${sent} mutations`);
      for (const list of ['issues', 'merge_requests']) {
        const own = await server.api(`GET /projects/${attacker.project.id}/${list}`, { token: attacker.owner.token });
        assert.ok(own.status === 200 && !own.text.includes(theirs), own.text);
      }
      const after = await rowsOf(server.db, victim);
      assert.deepEqual([...rows.symmetricDifference(after)], []);
    });
  });
});
