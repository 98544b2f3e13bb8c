import Type from 'typebox';

export const NewIssueAddress = Type.Object({
  address: Type.String({
    description: 'Emails to this address create issues in the project with you as author. Keep it secret.',
  }),
});

export const IncomingEmailToken = Type.Object({
  incoming_email_token: Type.String({ description: 'The part of incoming email addresses that identifies you.' }),
});

export type NewIssueAddressEntity = Type.Static<typeof NewIssueAddress>;
export type IncomingEmailTokenEntity = Type.Static<typeof IncomingEmailToken>;
