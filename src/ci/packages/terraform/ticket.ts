import Type from 'typebox';
import type { Services } from '../../../access/services.ts';
import { sealedJson } from '../../../platform/secrets/sealed-json.ts';

const fiveMinutes = 300_000;

const tickets = sealedJson('terraform.module', Type.Object({ package: Type.Integer(), until: Type.Integer() }));

/** Issues a short-lived ticket for the file of one version: Terraform downloads it without sending its access token. */
export function issueTicket({ encryption }: Services, packageId: number): string {
  return tickets.seal(encryption, { package: packageId, until: Date.now() + fiveMinutes });
}

/** Returns the package ID of a ticket; undefined if it is invalid or expired. */
export function openTicket({ encryption }: Services, ticket: string): number | undefined {
  const read = tickets.open(encryption, ticket);
  return read && read.until > Date.now() ? read.package : undefined;
}
