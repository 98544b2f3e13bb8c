/** The used part of the package, which has no types. */
declare module 'nodemailer' {
  export interface Envelope {
    readonly from: string | { readonly name: string; readonly address: string };
    readonly sender?: string;
    readonly to: { readonly name: string; readonly address: string };
    readonly text: string;
    readonly html?: string;
    readonly messageId: string;
    readonly references?: string;
    readonly inReplyTo?: string;
    readonly replyTo?: { readonly name: string; readonly address: string };
    readonly headers: Readonly<Record<string, string | { readonly prepared: true; readonly value: string }>>;
    readonly disableFileAccess: true;
    readonly disableUrlAccess: true;
  }
  export interface Transport {
    sendMail(envelope: Envelope): Promise<{ readonly message?: Buffer }>;
    close(): void;
  }
  export function createTransport(target: string | Readonly<Record<string, unknown>>): Transport;
}
