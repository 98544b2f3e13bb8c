import Type, { type Static } from 'typebox';
import { parseDocument } from 'yaml';
import { jsonShape } from '../../../platform/json-shape.ts';
import { isSemver } from '../rules.ts';

const text = Type.Optional(Type.String());
const texts = Type.Optional(Type.Array(Type.String()));

/** What Helm is told of a chart: one that is of another shape would keep it from reading the whole index. */
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
/** Of what is kept of a chart, in characters. */
const longest = 256 * 1024;
const word = /^[A-Za-z0-9._-]+$/;

/** Whether a text can be the name of a chart. */
export function isChartName(name: string): boolean {
  return name.length <= 255 && word.test(name) && !/^\.+$/.test(name);
}

/** Whether a text can name a channel, which is a part of addresses. */
export const isChannel = isChartName;

/** Whether a text is a version as charts have them. */
export function isChartVersion(version: string): boolean {
  return isSemver(version.replace(/^v/, ''));
}

export const chartFileName = ({ name, version }: Pick<Chart, 'name' | 'version'>) => `${name}-${version}.tgz`;

/** Reads a `Chart.yaml`; undefined where it is none. */
export function readChart(source: string): Chart | undefined {
  // Plain words stay what was written: a version of 1.10 is no number.
  const document = parseDocument(source, { schema: 'failsafe' });
  if (document.errors.length > 0) return undefined;
  let values: unknown;
  try {
    // Aliases of aliases can stand for far more than the file holds.
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
  return JSON.stringify(read).length <= longest ? read : undefined;
}

const ofDependency = ['name', 'version', 'repository', 'condition', 'tags', 'enabled', 'import-values', 'alias'];

const readDependency = (values: unknown) => withFlag(pick(values, ofDependency), 'enabled');

/** Those of some fields that say something. */
function pick(values: unknown, names: readonly string[]): Record<string, unknown> {
  if (typeof values !== 'object' || values === null) return {};
  const entries = Object.entries(values);
  return Object.fromEntries(entries.filter(([name, value]) => names.includes(name) && value !== '' && value !== null));
}

function withFlag(values: Record<string, unknown>, name: string): Record<string, unknown> {
  return name in values ? { ...values, [name]: values[name] === 'true' } : values;
}
