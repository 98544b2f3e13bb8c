import { parseDocument } from 'yaml';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { isRecord } from '../../platform/http/parameters/param-readers.ts';
import { repositoryOf, resolveCommit } from '../repository/public.ts';
import { standardTemplate } from './section.ts';
import { parseTemplate } from './template/parse.ts';
import { TemplateError, type TemplateNode } from './template/template.ts';
import { defaultTagRegex } from './version.ts';

/** The changelog configuration of a project. */
export interface ChangelogConfig {
  readonly dateFormat: string;
  readonly template: readonly TemplateNode[];
  /** Category titles by trailer value, in file order. */
  readonly categories: ReadonlyMap<string, string>;
  readonly includeGroups: readonly string[];
  readonly tagRegex: string;
}

/** A changelog that cannot be generated; the message is shown to the user. */
export class ChangelogError extends Error {
  override readonly name = 'ChangelogError';
}

/** Default paths of the configuration file. */
export const configPaths = ['.service/changelog_config.yml', '.gitlab/changelog_config.yml'] as const;

const maxFileSize = 1024 * 1024;

/** Reads the configuration file of a project. Missing keys, or a missing file, mean the defaults. */
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
    if (info.size > maxFileSize) throw new ChangelogError(`${path} does not contain valid YAML`);
    const content = await objects.blob(info.oid);
    return parseConfig(content?.toString() ?? '', path);
  }
  return parseConfig('', paths[0] ?? '');
}

/** Parses a configuration file. */
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
    // Limit aliases: nested ones can expand to far more than the file size.
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
