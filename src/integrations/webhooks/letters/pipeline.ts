import { oneLine } from '../chats/markup.ts';
import { messageOf, type Told } from '../chats/message.ts';
import type { Text } from './push.ts';

/** Of what webhooks are told of a pipeline, what a letter is made of. */
export interface ToldPipeline extends Told {
  readonly builds?: readonly { readonly name: string; readonly stage: string; readonly status: string }[];
}

const mostJobs = 50;

/** The letter about a pipeline that has come to its end; undefined of one that has not. */
export function pipelineText(told: ToldPipeline): Text | undefined {
  const message = messageOf(told);
  const { id, ref = '', url, status } = told.object_attributes ?? {};
  if (!message || id === undefined) return undefined;
  const { project, commit, builds = [] } = told;
  const said = message.sentence.map((part) => (typeof part === 'string' ? part : part.words)).join('');
  const failed = builds.filter((job) => job.status === 'failed');
  const named = failed.slice(0, mostJobs).map(({ name, stage }) => `- ${name} (${stage})`);
  const more = failed.length > mostJobs ? [`… and ${failed.length - mostJobs} more`] : [];
  return {
    subject: `${project.path_with_namespace} | ${status === 'failed' ? 'Failed' : 'Successful'} pipeline for ${ref}${
      commit ? ` | ${commit.id.slice(0, 8)}` : ''
    }`,
    says: [
      `${said}.`,
      ...(commit ? [`${commit.id.slice(0, 8)} ${oneLine(commit.title)} (${oneLine(commit.author.name)})`] : []),
      ...(named.length > 0 ? [['Jobs that failed:', ...named, ...more].join('\n')] : []),
    ],
    link: { text: `Pipeline #${id}`, url: url ?? `${project.web_url}/-/pipelines/${id}` },
  };
}
