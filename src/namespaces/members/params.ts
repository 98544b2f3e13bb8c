import { groupRoles } from '../../access/roles.ts';
import { nullable, param, required, withDefault } from '../../platform/http/params.ts';

export const owner = { id: required(param.string({ description: 'Number or URL-encoded path' })) };
export const one = { ...owner, user_id: required(param.integer()) };

const narrowing = {
  query: param.string({ description: 'In names and user names' }),
  user_ids: param.integers(),
  show_seat_info: withDefault(param.boolean(), false),
};
export const list = { ...owner, ...narrowing, skip_users: param.integers() };
export const listAll = { ...owner, ...narrowing, state: param.oneOf(['awaiting', 'active']) };

export const addition = {
  ...owner,
  access_level: required(param.integer()),
  user_id: param.string({ description: 'A number, or several separated by commas' }),
  username: param.string({ description: 'A user name, or several separated by commas' }),
  expires_at: nullable(param.date()),
  invite_source: param.string(),
};
export const change = { ...one, access_level: required(param.integer()), expires_at: nullable(param.date()) };
export const removal = {
  ...one,
  skip_subresources: withDefault(param.boolean(), false),
  unassign_issuables: withDefault(param.boolean(), false),
};

const level = () => param.integerOf(groupRoles);
export const invitation = {
  ...owner,
  access_level: required(level()),
  email: param.commaList(),
  user_id: param.commaList(),
  expires_at: nullable(param.date()),
  invite_source: param.string(),
};
export const invitations = { ...owner, query: param.string() };
export const invitee = { ...owner, email: required(param.string()) };
export const invitationChange = { ...invitee, access_level: level(), expires_at: nullable(param.date()) };

export const approval = { ...one, access_level: withDefault(param.integer(), 30) };
