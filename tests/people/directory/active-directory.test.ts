import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { membersByCn } from '../../../src/people/directory/groups.ts';
import { personAttributes, readPerson } from '../../../src/people/directory/person.ts';
import type { DirectoryEntry, DirectorySearch, DirectorySession } from '../../../src/platform/directory/directory.ts';

const base = 'DC=corp,DC=example';
const person = (name: string) => `CN=${name},OU=People,${base}`;
const group = (name: string) => `CN=${name},OU=Groups,${base}`;
const settings = {
  base,
  groupBase: `OU=Groups,${base}`,
  uid: 'sAMAccountName',
  userFilter: undefined,
  activeDirectory: true,
} as const;

/** Maximum number of attribute values per range; 1,500 in a real Active Directory. */
const atOnce = 3;

/** Answers group searches like Active Directory: with `memberOf`, and long attributes in ranges. */
function activeDirectory(groups: Readonly<Record<string, readonly string[]>>) {
  const asked: DirectorySearch[] = [];
  const entries = new Map(Object.entries(groups).map(([cn, members]) => [group(cn), { cn, members }]));

  function answer(dn: string, attributes: readonly string[]): DirectoryEntry {
    const { members } = entries.get(dn) ?? { members: [] };
    const range = attributes.map((name) => /^member;range=(\d+)-\*$/.exec(name)?.[1]).find(Boolean);
    if (range === undefined && members.length <= atOnce) return { dn, attributes: new Map([['member', members]]) };
    const from = Number(range ?? 0);
    const piece = members.slice(from, from + atOnce);
    const end = from + atOnce >= members.length ? '*' : `${from + atOnce - 1}`;
    return {
      dn,
      attributes: new Map([
        ['member', []],
        [`member;range=${from}-${end}`, piece],
      ]),
    };
  }

  async function* search(request: DirectorySearch): AsyncGenerator<DirectoryEntry> {
    asked.push(request);
    const cn = /^\(cn=(.*)\)$/.exec(request.filter)?.[1];
    const parent = /^\(&\(objectClass=group\)\(memberOf=(.*)\)\)$/.exec(request.filter)?.[1];
    for (const [dn, entry] of entries) {
      const isNamed = request.scope === 'base' ? dn === request.base : entry.cn === cn;
      const isInside = parent !== undefined && (entries.get(parent)?.members ?? []).includes(dn);
      if (isNamed || isInside) yield answer(dn, request.attributes);
    }
  }

  const session: DirectorySession = {
    search,
    first: async (request) => (await search(request).next()).value ?? undefined,
    proves: async () => false,
  };
  return { session, asked };
}

const spelled = (names: readonly string[]) => new Set(names.map((name) => person(name).toLowerCase()));

describe('Active Directory groups', () => {
  it('include the members of nested groups at any depth, each once', async () => {
    const { session } = activeDirectory({
      all: [person('ada'), group('team')],
      team: [person('bob'), person('ada'), group('inner')],
      inner: [person('cyd')],
      other: [person('eve')],
    });
    assert.deepEqual(await membersByCn(session, settings, 'all'), spelled(['ada', 'bob', 'cyd']));
    assert.deepEqual(await membersByCn(session, settings, 'inner'), spelled(['cyd']));
    assert.equal(await membersByCn(session, settings, 'none'), undefined);
  });

  it('are each read once if they contain each other', async () => {
    const { session, asked } = activeDirectory({
      left: [person('ada'), group('right')],
      right: [person('bob'), group('left')],
    });
    assert.deepEqual(await membersByCn(session, settings, 'left'), spelled(['ada', 'bob']));
    assert.equal(asked.length, 3, 'the requested group, and the contents of both');
  });

  it('are read completely if returned in ranges', async () => {
    for (const size of [atOnce, atOnce + 1, 2 * atOnce, 3 * atOnce + 1]) {
      const names = Array.from({ length: size }, (_, index) => `person ${index}`);
      const { session } = activeDirectory({ crowd: names.map(person), around: [group('crowd')] });
      assert.deepEqual(await membersByCn(session, settings, 'crowd'), spelled(names), `${size}`);
      assert.deepEqual(await membersByCn(session, settings, 'around'), spelled(names), `${size}, from outside`);
    }
  });

  it('include only users below the configured base', async () => {
    const { session } = activeDirectory({ mixed: [person('ada'), 'CN=far,DC=elsewhere,DC=example'] });
    assert.deepEqual(await membersByCn(session, settings, 'mixed'), spelled(['ada']));
  });
});

describe('Active Directory users', () => {
  const read = (control: string | undefined) =>
    readPerson(
      {
        dn: person('ada'),
        attributes: new Map([
          ['samaccountname', ['ada']],
          ['userprincipalname', ['Ada@corp.example']],
          ...(control === undefined ? [] : [['useraccountcontrol', [control]] as const]),
        ]),
      },
      'sAMAccountName',
    );

  it('are queried for the disabled flag', () => {
    assert.ok(personAttributes('sAMAccountName').includes('userAccountControl'));
  });

  for (const [control, disabled] of [
    ['512', false],
    ['514', true],
    ['66048', false],
    ['66050', true],
    [undefined, false],
    ['nonsense', false],
  ] as const) {
    it(`with userAccountControl ${control} are ${disabled ? 'blocked' : 'allowed'}`, () => {
      assert.deepEqual([read(control)?.disabled, read(control)?.email], [disabled, 'ada@corp.example']);
    });
  }
});
