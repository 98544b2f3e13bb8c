/** Names of files that hold secrets by convention, as expressions that are looked for in a path. */
export const secretNames: readonly string[] = [
  'aws\\/credentials$',
  '(^|\\/)(ssh|config|ssh_|)\\/?(personal|server)_(rsa|dsa|ed\\d+|ecdsa)$',
  '(^|\\/)(ssh|ssh_)?host_(rsa|dsa|ed\\d+|ecdsa)_key$',
  '(^|\\/)id_(rsa|dsa|ecdsa|ed25519)$',
  '\\.(pem|key|p12|pfx|asc|keychain|kdb|kdbx|agilekeychain|keystore|jks)$',
  '(^|\\/)\\.?(bash|zsh|mysql|psql|pgsql|irb)_?history$',
  '(^|\\/)\\.(pgpass|netrc|htpasswd|s3cfg|dockercfg|npmrc_auth)$',
  '(^|\\/)secret_token\\.rb$',
  '(^|\\/)(otr\\.private_key|credentials\\.xml|jenkins\\.plugins\\.publish_over_ssh\\.BapSshPublisherPlugin\\.xml)$',
];
