import { type EntriesFile, entriesFile } from './entries-file.ts';
import { type OneSamlProvider, oneSamlProvider, samlProviderMistakes } from './one-saml-provider.ts';
import { providersOf } from './providers.ts';

const kind = {
  table: oneSamlProvider,
  prefix: 'HEARTH_SAML_',
  one: 'provider',
  many: 'providers',
  needed: ['sso_url', 'provider'],
  mistakesOf: samlProviderMistakes,
  nameOf: ({ samlProvider }: OneSamlProvider) => samlProvider,
};

/** The SAML providers for sign-in. */
export const samlProviders = {
  ...oneSamlProvider,
  samlProviders: entriesFile(
    'HEARTH_SAML_PROVIDERS',
    'JSON file with further providers: a list of objects with the names above, such as `sso_url`, `certificate` and `provider`.',
    kind,
  ),
};

type SamlConfig = OneSamlProvider & { readonly samlProviders: EntriesFile<OneSamlProvider> | undefined };

/** Returns all SAML providers in display order. */
export function samlProvidersOf(config: SamlConfig): OneSamlProvider[] {
  return [config, ...(config.samlProviders?.entries ?? [])].filter(({ samlSsoUrl }) => samlSsoUrl !== undefined);
}

/** Returns mistakes in the combination of several providers, of both protocols. */
export function samlProvidersMistakes(config: SamlConfig & Parameters<typeof providersOf>[0]): string[] {
  const openid = providersOf(config);
  const saml = samlProvidersOf(config);
  const problems: string[] = [];
  const names = [...openid.map(({ oidcProvider }) => oidcProvider), ...saml.map(({ samlProvider }) => samlProvider)];
  for (const { samlProvider: name } of saml) {
    // Identities and callback URLs contain only the name.
    if (names.indexOf(name) !== names.lastIndexOf(name)) problems.push(`--saml-provider: ${name} is used twice`);
  }
  const automatic = openid.filter(({ oidcAutoSignIn }) => oidcAutoSignIn).length;
  if (saml.some(({ samlAutoSignIn }) => samlAutoSignIn) && automatic + automaticOf(saml) > 1) {
    problems.push('--saml-auto-sign-in: only one provider can sign users in automatically');
  }
  return [...new Set(problems)];
}

const automaticOf = (saml: readonly OneSamlProvider[]) => saml.filter(({ samlAutoSignIn }) => samlAutoSignIn).length;
