import { parseDocument } from 'yaml';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { isRecord } from '../../platform/http/parameters/param-readers.ts';
import { repositoryOf, resolveCommit } from '../repository/public.ts';
import { standardTemplate } from './section.ts';
import { parseTemplate } from './template/parse.ts';
import { TemplateError, type TemplateNode } from './template/template.ts';
import { defaultTagRegex } from './version.ts';

/** How a project wants its changelogs. */
export interface ChangelogConfig {
  readonly dateFormat: string;
  readonly template: readonly TemplateNode[];
  /** Titles by the value of the trailer, in the order of the file. */
  readonly categories: ReadonlyMap<string, string>;
  readonly includeGroups: readonly string[];
  readonly tagRegex: string;
}

/** A changelog that cannot be made; the message says why. */
export class ChangelogError extends Error {
  override readonly name = 'ChangelogError';
}

/** Where the file lies unless a request says otherwise. */
export const configPaths = ['.service/changelog_config.yml', '.gitlab/changelog_config.yml'] as const;

const largestFile = 1024 * 1024;

/** The configuration in a file of the project; what the file does not say, or no file, is the default. */
export async function readConfig(
  services: Services,
  subject: ProjectSubject,
  paths: readonly string[],
  ref: string | undefined,
): Promise<ChangelogConfig> {
  const commit = await resolveCommit(services, subject, ref);
  const objects = services.git.objects(repositoryOf(services, subject));
  for (const path of commit ? paths : []) {
    const entry = await objects.entryAt(commit?.tree ?? '', path);
    const info = entry && (await objects.info(entry.oid));
    if (info?.status !== 'found' || info.type !== 'blob') continue;
    if (info.size > largestFile) throw new ChangelogError(`${path} does not contain valid YAML`);
    const content = await objects.blob(info.oid);
    return parseConfig(content?.toString() ?? '', path);
  }
  return parseConfig('', paths[0] ?? '');
}

/** Reads the text of a configuration. */
export function parseConfig(text: string, path: string): ChangelogConfig {
  const values = readYaml(text, path);
  const { date_format: dateFormat, template, tag_regex: tagRegex, include_groups: groups } = values;
  return {
    dateFormat: typeof dateFormat === 'string' ? dateFormat : '%Y-%m-%d',
    template: typeof template === 'string' ? readTemplate(template) : standardTemplate,
    categories: readCategories(values.categories),
    includeGroups: Array.isArray(groups) ? groups.filter((each) => typeof each === 'string') : [],
    tagRegex: typeof tagRegex === 'string' ? tagRegex : defaultTagRegex,
  };
}

function readYaml(text: string, path: string): Record<string, unknown> {
  const unreadable = new ChangelogError(`${path} does not contain valid YAML`);
  const document = parseDocument(text);
  if (document.errors.length > 0) throw unreadable;
  let values: unknown;
  try {
    // Aliases of aliases can stand for far more than the file holds.
    values = document.toJS({ maxAliasCount: 100 });
  } catch {
    throw unreadable;
  }
  if (values === null || values === undefined) return {};
  if (!isRecord(values)) throw unreadable;
  return values;
}

function readTemplate(template: string): readonly TemplateNode[] {
  try {
    return parseTemplate(template);
  } catch (error) {
    throw error instanceof TemplateError ? new ChangelogError(error.message) : error;
  }
}

function readCategories(categories: unknown): ReadonlyMap<string, string> {
  if (categories === undefined || categories === null) return new Map();
  if (!isRecord(categories)) throw new ChangelogError('The "categories" configuration key must be a Hash');
  return new Map(Object.entries(categories).map(([key, title]) => [key, String(title)]));
}
