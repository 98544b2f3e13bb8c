import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import Type from 'typebox';
import { storedJson } from '../../platform/stored-json.ts';

/** A license with its permissions, conditions and limitations as keywords. */
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

const permissive = ['commercial-use', 'modifications', 'distribution', 'private-use'];
const permissiveWithPatents = ['commercial-use', 'modifications', 'distribution', 'patent-use', 'private-use'];
const noLiability = ['liability', 'warranty'];
const noLiabilityOrTrademarks = ['trademark-use', 'liability', 'warranty'];
const copyleft = ['include-copyright', 'document-changes', 'disclose-source', 'same-license'];

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
    'Modified versions must use the same license, including those only offered over a network.',
    permissiveWithPatents,
    [...copyleft, 'network-use-disclose'],
    noLiability,
    { nickname: 'GNU AGPLv3' },
  ],
  [
    'Apache-2.0',
    'Apache License 2.0',
    'Permissive: notices must be preserved; contributors grant patent rights.',
    permissiveWithPatents,
    ['include-copyright', 'document-changes'],
    noLiabilityOrTrademarks,
    { popular: true },
  ],
  [
    'Artistic-2.0',
    'Artistic License 2.0',
    'Modified versions must be distinguishable from the original.',
    permissiveWithPatents,
    ['include-copyright', 'document-changes'],
    noLiabilityOrTrademarks,
  ],
  [
    'BSD-2-Clause',
    'BSD 2-Clause "Simplified" License',
    'Permissive: the copyright notice must be preserved.',
    permissive,
    ['include-copyright'],
    noLiability,
  ],
  [
    'BSD-3-Clause',
    'BSD 3-Clause "New" or "Revised" License',
    'Like the 2-Clause license; the names of contributors may not be used for endorsement.',
    permissive,
    ['include-copyright'],
    noLiability,
  ],
  [
    'BSL-1.0',
    'Boost Software License 1.0',
    'Permissive: binaries need not include the notice.',
    permissive,
    ['include-copyright--source'],
    noLiability,
  ],
  [
    'CC0-1.0',
    'Creative Commons Zero v1.0 Universal',
    'Waives all rights as far as legally possible.',
    permissive,
    [],
    ['trademark-use', 'patent-use', 'liability', 'warranty'],
  ],
  [
    'EPL-2.0',
    'Eclipse Public License 2.0',
    'Modified files must use the same license; additional files need not.',
    permissiveWithPatents,
    ['disclose-source', 'include-copyright', 'same-license'],
    noLiability,
  ],
  [
    'GPL-2.0-only',
    'GNU General Public License v2.0',
    'Distributed modified versions must use the same license and include their source.',
    permissive,
    copyleft,
    noLiability,
    { nickname: 'GNU GPLv2' },
  ],
  [
    'GPL-3.0-only',
    'GNU General Public License v3.0',
    'Distributed modified versions must use the same license and include their source and patent rights.',
    permissiveWithPatents,
    copyleft,
    noLiability,
    { nickname: 'GNU GPLv3', popular: true },
  ],
  [
    'ISC',
    'ISC License',
    'Permissive: notices must be preserved; functionally equivalent to the 2-Clause BSD license.',
    permissive,
    ['include-copyright'],
    noLiability,
  ],
  [
    'LGPL-2.1-only',
    'GNU Lesser General Public License v2.1',
    'Modified versions of the library must use the same license; programs using it need not.',
    permissive,
    ['include-copyright', 'disclose-source', 'document-changes', 'same-license--library'],
    noLiability,
    { nickname: 'GNU LGPLv2.1' },
  ],
  [
    'LGPL-3.0-only',
    'GNU Lesser General Public License v3.0',
    'Modified versions of the library must use the same license; programs using it need not.',
    permissiveWithPatents,
    ['include-copyright', 'disclose-source', 'document-changes', 'same-license--library'],
    noLiability,
    { nickname: 'GNU LGPLv3' },
  ],
  [
    'MIT',
    'MIT License',
    'Permissive: the copyright notice must be preserved.',
    permissive,
    ['include-copyright'],
    noLiability,
    { popular: true },
  ],
  [
    'MPL-2.0',
    'Mozilla Public License 2.0',
    'Modified files must use the same license; additional files need not.',
    permissiveWithPatents,
    ['disclose-source', 'include-copyright', 'same-license--file'],
    noLiabilityOrTrademarks,
  ],
  [
    'Unlicense',
    'The Unlicense',
    'Dedicates the work to the public domain without any conditions.',
    permissive,
    [],
    noLiability,
  ],
];

/** The available licenses. */
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

/** Values for the placeholders of a license. */
export interface LicensePlaceholders {
  readonly year: number;
  readonly fullname?: string | undefined;
  readonly project?: string | undefined;
}

const years = /[<[{](?:year|yyyy|yy)[>\]}]/gi;
const owners =
  /[<[{](?:owner|fullname|copyright holders?|name of author|name of copyright owner|authors?|name of copyright holder)[>\]}]/gi;
const projects = /[<[{]project[>\]}]|<one line to give the program's name and a brief idea of what it does\.>/gi;

/** Replaces the placeholders of a license. Those without a value are kept visible. */
export function fillLicensePlaceholders(text: string, { year, fullname, project }: LicensePlaceholders): string {
  let filled = text.replace(years, String(year));
  if (fullname) filled = filled.replace(owners, () => fullname);
  return project ? filled.replace(projects, () => project) : filled;
}

const readLicense = storedJson(Type.Object({ licenseText: Type.String(), url: Type.String() }));

/** Reads the text of a license from the SPDX list. */
export async function licenseText({ spdx }: LicenseFacts): Promise<string> {
  const file = fileURLToPath(import.meta.resolve(`spdx-license-list/licenses/${spdx}.json`));
  return readLicense(await readFile(file, 'utf8')).licenseText;
}
