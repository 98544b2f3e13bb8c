import Type, { type Static } from 'typebox';
import { nullable, type ParamsOf, param, required, withDefault } from '../../../platform/http/params.ts';
import { entity, timestamp } from '../../../platform/http/schema.ts';
import { Issue, IssueBasic, oneIssue } from '../schema.ts';

/** A linked issue, with the attributes of the link. */
export const RelatedIssue = entity('RelatedIssue', {
  ...Issue.properties,
  issue_link_id: Type.Integer(),
  link_type: Type.String(),
  link_created_at: timestamp(),
  link_updated_at: timestamp(),
});
export type RelatedIssueEntity = Static<typeof RelatedIssue>;

export const IssueLink = entity('IssueLink', {
  id: Type.Integer(),
  source_issue: IssueBasic,
  target_issue: IssueBasic,
  link_type: Type.String(),
});
export type IssueLinkEntity = Static<typeof IssueLink>;

export const newLink = {
  ...oneIssue,
  target_project_id: required(
    nullable(param.string({ description: 'ID or URL-encoded path of the project; null for the same project' })),
  ),
  target_issue_iid: required(param.integer()),
  link_type: withDefault(param.oneOf(['relates_to', 'blocks', 'is_blocked_by']), 'relates_to'),
};
export const oneLink = { ...oneIssue, issue_link_id: required(param.integer()) };
export type NewLinkParams = ParamsOf<typeof newLink>;
export type LinkType = NewLinkParams['link_type'];
