import { failedJobs } from '../../mail/public.ts';
import { oneLine } from '../chats/markup.ts';
import { type HookPayload, messageOf } from '../chats/message.ts';
import type { Text } from './push.ts';

/** The part of a pipeline payload that the e-mail uses. */
export interface PipelinePayload extends HookPayload {
  readonly builds?: readonly { readonly name: string; readonly stage: string; readonly status: string }[];
}

/** Returns the e-mail for a finished pipeline; undefined if it is still running. */
export function pipelineText(payload: PipelinePayload): Text | undefined {
  const message = messageOf(payload);
  const { id, ref = '', url, status } = payload.object_attributes ?? {};
  if (!message || id === undefined) return undefined;
  const { project, commit, builds = [] } = payload;
  const sentenceText = message.sentence.map((part) => (typeof part === 'string' ? part : part.words)).join('');
  return {
    subject: `${project.path_with_namespace} | ${status === 'failed' ? 'Failed' : 'Successful'} pipeline for ${ref}${
      commit ? ` | ${commit.id.slice(0, 8)}` : ''
    }`,
    says: [
      `${sentenceText}.`,
      ...(commit ? [`${commit.id.slice(0, 8)} ${oneLine(commit.title)} (${oneLine(commit.author.name)})`] : []),
      ...failedJobs(builds),
    ],
    link: { text: `Pipeline #${id}`, url: url ?? `${project.web_url}/-/pipelines/${id}` },
  };
}
