import Type, { type Static } from 'typebox';
import { parseDocument } from 'yaml';
import { jsonShape } from '../../../platform/json-shape.ts';
import { isSemver } from '../rules.ts';

const text = Type.Optional(Type.String());
const texts = Type.Optional(Type.Array(Type.String()));

/** Chart metadata served to Helm. Values of unexpected types would make Helm reject the whole index. */
const Chart = Type.Object({
  apiVersion: Type.String(),
  name: Type.String(),
  version: Type.String(),
  kubeVersion: text,
  description: text,
  type: text,
  keywords: texts,
  home: text,
  sources: texts,
  dependencies: Type.Optional(
    Type.Array(
      Type.Object({
        name: Type.String(),
        version: text,
        repository: text,
        condition: text,
        tags: texts,
        enabled: Type.Optional(Type.Boolean()),
        'import-values': Type.Optional(Type.Array(Type.Unknown())),
        alias: text,
      }),
    ),
  ),
  maintainers: Type.Optional(Type.Array(Type.Object({ name: text, email: text, url: text }))),
  icon: text,
  condition: text,
  tags: text,
  appVersion: text,
  deprecated: Type.Optional(Type.Boolean()),
  annotations: Type.Optional(Type.Record(Type.String(), Type.String())),
});
export type Chart = Static<typeof Chart>;

const shape = jsonShape(Chart);
/** Maximum length of the stored metadata in characters. */
const maxMetadataLength = 256 * 1024;
const word = /^[A-Za-z0-9._-]+$/;

/** Whether a string is a valid chart name. */
export function isChartName(name: string): boolean {
  return name.length <= 255 && word.test(name) && !/^\.+$/.test(name);
}

/** Whether a string is a valid channel name, which is part of URLs. */
export const isChannel = isChartName;

/** Whether a string is a valid chart version. */
export function isChartVersion(version: string): boolean {
  return isSemver(version.replace(/^v/, ''));
}

export const chartFileName = ({ name, version }: Pick<Chart, 'name' | 'version'>) => `${name}-${version}.tgz`;

/** Parses a `Chart.yaml`; undefined if it is invalid. */
export function readChart(source: string): Chart | undefined {
  // The failsafe schema keeps scalars as strings: version 1.10 must not become a number.
  const document = parseDocument(source, { schema: 'failsafe' });
  if (document.errors.length > 0) return undefined;
  let values: unknown;
  try {
    // Limits alias expansion ("billion laughs").
    values = document.toJS({ maxAliasCount: 100 });
  } catch {
    return undefined;
  }
  const chart = pick(values, Object.keys(Chart.properties));
  if (Array.isArray(chart.dependencies)) chart.dependencies = chart.dependencies.map(readDependency);
  if (Array.isArray(chart.maintainers)) {
    chart.maintainers = chart.maintainers.map((one) => pick(one, ['name', 'email', 'url']));
  }
  const read = withFlag(chart, 'deprecated');
  if (!shape.fits(read) || !isChartName(read.name) || !isChartVersion(read.version)) return undefined;
  if (chartFileName(read).length > 255) return undefined;
  return JSON.stringify(read).length <= maxMetadataLength ? read : undefined;
}

const ofDependency = ['name', 'version', 'repository', 'condition', 'tags', 'enabled', 'import-values', 'alias'];

const readDependency = (values: unknown) => withFlag(pick(values, ofDependency), 'enabled');

/** Picks the non-empty fields with these names. */
function pick(values: unknown, names: readonly string[]): Record<string, unknown> {
  if (typeof values !== 'object' || values === null) return {};
  const entries = Object.entries(values);
  return Object.fromEntries(entries.filter(([name, value]) => names.includes(name) && value !== '' && value !== null));
}

function withFlag(values: Record<string, unknown>, name: string): Record<string, unknown> {
  return name in values ? { ...values, [name]: values[name] === 'true' } : values;
}
