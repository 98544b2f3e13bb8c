import Type from 'typebox';
import type { Services } from '../../../access/services.ts';
import { sealedJson } from '../../../platform/secrets/sealed-json.ts';

const fiveMinutes = 300_000;

const tickets = sealedJson('terraform.module', Type.Object({ package: Type.Integer(), until: Type.Integer() }));

/** Opens the file of one version for a while: Terraform fetches it without the token that it asks for it with. */
export function issueTicket({ encryption }: Services, packageId: number): string {
  return tickets.seal(encryption, { package: packageId, until: Date.now() + fiveMinutes });
}

/** The number of the package that a ticket opens; undefined where it opens none any more. */
export function openTicket({ encryption }: Services, ticket: string): number | undefined {
  const read = tickets.open(encryption, ticket);
  return read && read.until > Date.now() ? read.package : undefined;
}
