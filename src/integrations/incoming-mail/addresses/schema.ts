import Type from 'typebox';

export const NewIssueAddress = Type.Object({
  address: Type.String({ description: 'Mail to it becomes an issue of this project, opened by you. It is a secret.' }),
});

export const IncomingEmailToken = Type.Object({
  incoming_email_token: Type.String({ description: 'The part of such addresses that says who you are.' }),
});

export type NewIssueAddressEntity = Type.Static<typeof NewIssueAddress>;
export type IncomingEmailTokenEntity = Type.Static<typeof IncomingEmailToken>;
