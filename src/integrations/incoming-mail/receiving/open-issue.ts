import { countAgainstEndpointLimit } from '../../../access/limits/endpoint-limits.ts';
import type { Services } from '../../../access/services.ts';
import { readableProject } from '../../../access/subjects.ts';
import { createIssue } from '../../../planning/issues/public.ts';
import { Forbidden } from '../../../platform/http/errors.ts';
import type { IssueKey } from '../addresses/keys.ts';
import type { MailContent } from './comment.ts';
import { Refused, reasons } from './rejection.ts';

const longestTitle = 255;

/** Creates an issue from a message to a project's address. */
export async function openIssueByMail(
  services: Services,
  key: IssueKey,
  title: string,
  content: MailContent,
): Promise<void> {
  const { caller } = content;
  const subject = await readableProject(services.db, caller, key.projectId);
  if (!subject.can('create_issue')) throw new Forbidden();
  if (title === '') throw new Refused(reasons.noSubject);
  await countAgainstEndpointLimit(services, caller, { issueIn: key.projectId });
  const characters = [...title];
  const shown = characters.length > longestTitle ? `${characters.slice(0, longestTitle - 1).join('')}…` : title;
  await createIssue(
    services,
    caller,
    subject,
    { title: shown, description: await content.textFor(subject) },
    content.end,
  );
}
