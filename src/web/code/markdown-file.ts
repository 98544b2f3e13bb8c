import type { Html } from '../frame/html.ts';
import { renderOne } from '../frame/markdown.ts';
import type { ProjectContext } from '../namespaces/project.ts';
import { withIncludes } from './includes.ts';
import type { PathAtRef } from './ref.ts';

const largestInclude = 500_000;

/** Renders a Markdown file of a repository, including files of the same commit that the user can read. */
export async function renderFile(context: ProjectContext, at: PathAtRef, path: string, text: string): Promise<Html> {
  const { visit, project } = context;
  const whole = await withIncludes(path, text, (included) => readIncluded(context, at, included));
  return renderOne(visit, project.path_with_namespace, whole, { ref: at.ref, filePath: path });
}

async function readIncluded(
  { visit, api }: ProjectContext,
  { commit }: PathAtRef,
  path: string,
): Promise<string | undefined> {
  const url = `${api}/repository/files/${encodeURIComponent(path)}`;
  const head = await visit.api.ask('HEAD', url, { ref: commit.id });
  if (head.status !== 200 || Number(head.headers['x-gitlab-size']) > largestInclude) return undefined;
  const { status, bytes } = await visit.api.ask('GET', `${url}/raw`, { ref: commit.id });
  return status !== 200 || bytes.subarray(0, 8000).includes(0) ? undefined : bytes.toString('utf8');
}
