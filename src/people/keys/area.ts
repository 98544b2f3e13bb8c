import type { Area } from '../../access/area.ts';
import { gpgKeyRoutes } from './gpg/routes.ts';
import { keyLookupRoutes } from './lookup/routes.ts';
import { sshKeyRoutes } from './ssh/routes.ts';
import { releaseDeployKeys } from './ssh/store.ts';

/** SSH and GPG keys of users, and the lookup of any SSH key. */
export const keys: Area = {
  name: 'keys',
  routes: (services, gates) => [
    ...sshKeyRoutes(services, gates),
    ...gpgKeyRoutes(services, gates),
    ...keyLookupRoutes(services, gates),
  ],
  on: { 'user.removed': (_services, trx, { user }) => releaseDeployKeys(trx, user.id) },
};
