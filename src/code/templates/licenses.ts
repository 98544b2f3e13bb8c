import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import Type from 'typebox';
import { storedJson } from '../../platform/stored-json.ts';

/** What a license lets people do, asks of them and keeps from them, in a word each. */
export interface LicenseFacts {
  readonly key: string;
  readonly spdx: string;
  readonly name: string;
  readonly nickname: string | null;
  readonly popular: boolean;
  readonly description: string;
  readonly permissions: readonly string[];
  readonly conditions: readonly string[];
  readonly limitations: readonly string[];
}

const free = ['commercial-use', 'modifications', 'distribution', 'private-use'];
const freeWithPatents = ['commercial-use', 'modifications', 'distribution', 'patent-use', 'private-use'];
const unliable = ['liability', 'warranty'];
const withoutMarks = ['trademark-use', 'liability', 'warranty'];
const sharedAlike = ['include-copyright', 'document-changes', 'disclose-source', 'same-license'];

type Row = readonly [
  spdx: string,
  name: string,
  description: string,
  permissions: readonly string[],
  conditions: readonly string[],
  limitations: readonly string[],
  more?: { readonly nickname?: string; readonly popular?: boolean },
];

const rows: readonly Row[] = [
  [
    'AGPL-3.0-only',
    'GNU Affero General Public License v3.0',
    'Changed versions stay under this license, and so do those that people only reach over a network.',
    freeWithPatents,
    [...sharedAlike, 'network-use-disclose'],
    unliable,
    { nickname: 'GNU AGPLv3' },
  ],
  [
    'Apache-2.0',
    'Apache License 2.0',
    'Do almost anything, as long as notices stay; contributors grant rights to their patents.',
    freeWithPatents,
    ['include-copyright', 'document-changes'],
    withoutMarks,
    { popular: true },
  ],
  [
    'Artistic-2.0',
    'Artistic License 2.0',
    'Changed versions must be told apart from the original one.',
    freeWithPatents,
    ['include-copyright', 'document-changes'],
    withoutMarks,
  ],
  [
    'BSD-2-Clause',
    'BSD 2-Clause "Simplified" License',
    'Do almost anything, as long as the copyright notice stays.',
    free,
    ['include-copyright'],
    unliable,
  ],
  [
    'BSD-3-Clause',
    'BSD 3-Clause "New" or "Revised" License',
    'As the license of two clauses, and names of contributors may not be used to endorse.',
    free,
    ['include-copyright'],
    unliable,
  ],
  [
    'BSL-1.0',
    'Boost Software License 1.0',
    'Do almost anything; programs in binary form need not carry the notice.',
    free,
    ['include-copyright--source'],
    unliable,
  ],
  [
    'CC0-1.0',
    'Creative Commons Zero v1.0 Universal',
    'Gives up every right that can be given up.',
    free,
    [],
    ['trademark-use', 'patent-use', 'liability', 'warranty'],
  ],
  [
    'EPL-2.0',
    'Eclipse Public License 2.0',
    'Changed files stay under this license; what is put beside them need not.',
    freeWithPatents,
    ['disclose-source', 'include-copyright', 'same-license'],
    unliable,
  ],
  [
    'GPL-2.0-only',
    'GNU General Public License v2.0',
    'Changed versions that are passed on stay under this license, with their source.',
    free,
    sharedAlike,
    unliable,
    { nickname: 'GNU GPLv2' },
  ],
  [
    'GPL-3.0-only',
    'GNU General Public License v3.0',
    'Changed versions that are passed on stay under this license, with their source and rights to patents.',
    freeWithPatents,
    sharedAlike,
    unliable,
    { nickname: 'GNU GPLv3', popular: true },
  ],
  [
    'ISC',
    'ISC License',
    'Do almost anything, as long as the notices stay; as short as a license can be.',
    free,
    ['include-copyright'],
    unliable,
  ],
  [
    'LGPL-2.1-only',
    'GNU Lesser General Public License v2.1',
    'Changed versions of the library stay under this license; programs that use it need not.',
    free,
    ['include-copyright', 'disclose-source', 'document-changes', 'same-license--library'],
    unliable,
    { nickname: 'GNU LGPLv2.1' },
  ],
  [
    'LGPL-3.0-only',
    'GNU Lesser General Public License v3.0',
    'Changed versions of the library stay under this license; programs that use it need not.',
    freeWithPatents,
    ['include-copyright', 'disclose-source', 'document-changes', 'same-license--library'],
    unliable,
    { nickname: 'GNU LGPLv3' },
  ],
  [
    'MIT',
    'MIT License',
    'Do almost anything, as long as the copyright notice stays.',
    free,
    ['include-copyright'],
    unliable,
    { popular: true },
  ],
  [
    'MPL-2.0',
    'Mozilla Public License 2.0',
    'Changed files stay under this license; what is put beside them need not.',
    freeWithPatents,
    ['disclose-source', 'include-copyright', 'same-license--file'],
    withoutMarks,
  ],
  ['Unlicense', 'The Unlicense', 'Leaves the work to everybody, with no conditions whatsoever.', free, [], unliable],
];

/** The licenses to choose from, by what they are called. */
export const licenses: readonly LicenseFacts[] = rows.map(
  ([spdx, name, description, permissions, conditions, limitations, more]) => ({
    key: spdx.toLowerCase().replace(/-only$/, ''),
    spdx,
    name,
    nickname: more?.nickname ?? null,
    popular: more?.popular ?? false,
    description,
    permissions,
    conditions,
    limitations,
  }),
);

/** What is filled in where a license leaves room for it. */
export interface Filling {
  readonly year: number;
  readonly fullname?: string | undefined;
  readonly project?: string | undefined;
}

const years = /[<[{](?:year|yyyy|yy)[>\]}]/gi;
const owners =
  /[<[{](?:owner|fullname|copyright holders?|name of author|name of copyright owner|authors?|name of copyright holder)[>\]}]/gi;
const projects = /[<[{]project[>\]}]|<one line to give the program's name and a brief idea of what it does\.>/gi;

/** Fills in who and when; what nobody has named stays as it stands, for them to see. */
export function fillIn(text: string, { year, fullname, project }: Filling): string {
  let filled = text.replace(years, String(year));
  if (fullname) filled = filled.replace(owners, () => fullname);
  return project ? filled.replace(projects, () => project) : filled;
}

const readLicense = storedJson(Type.Object({ licenseText: Type.String(), url: Type.String() }));

/** The words of a license, from the list of the SPDX. */
export async function licenseText({ spdx }: LicenseFacts): Promise<string> {
  const file = fileURLToPath(import.meta.resolve(`spdx-license-list/licenses/${spdx}.json`));
  return readLicense(await readFile(file, 'utf8')).licenseText;
}
