/** Public keys created with ssh-keygen, and the properties it reports. */
export const sshKeys = {
  rsa: {
    text:
      'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQDYwmhNMzXmW5Lm+sD7epA7IiJzZhW+pDGQndELAnfxszNHwS0nnkrpOn+Clp5v' +
      '3gI6OS1GR9L3J7cmHxhHWiwqJNZoV2j/G0P6Hqh8yojsDCNnxBFgKl4TyrWRqSVY1di2XcPnUoqpx9r0p7qc2fE/1a5J4PmGY7Ir' +
      'bA4BRF4UUERKdNtQa2s7sU9b/JjfxQcuTd4Y4qF4yfiZe58PLA+ORctBiA3dikC3xFHv+fkDOk5yNkmeDDmI4TAhwqIB1kANCqoH' +
      'AR7NUTiQpMLVhY9ESk07fB0qpxYcnsIjUqKMw/OY0yF2XmhuNCUSDC00/eCfEK1h2Qz9nR+By/k4haS/ a comment',
    bits: 2048,
    sha256: 'SHA256:eMXI4tzHfY8jr6SK3p3o8sJSf98B1+hgFyOwul/Kjlw',
    md5: '3c:0e:59:01:1d:50:c2:af:66:f7:52:47:b0:6c:7a:bb',
  },
  shortRsa: {
    text:
      'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQC42dko7CTOqjz1MLiiXBliLQNXoM6vFKIdXB8OiFLIBsf4VTjQi9OPTHEVwP8s' +
      '3v8YFvIgSrbPSWAVvYhI2dRnX1akgdkWssrqM9sw7GQm99OkmiQ0tYzQWzDEOkt6ZGquiIWGtPkmI6KtvbiuVOalAyDm8WFsQf9t' +
      'vxOJkmNUcw== a comment',
    bits: 1024,
    sha256: 'SHA256:valCH+9tmclim4X1DFwJMzsPoychfrfphS74kvitovQ',
    md5: '42:23:87:ec:a2:da:1b:83:ef:58:ea:9a:31:62:1d:3a',
  },
  ed25519: {
    text: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPPzGiVSKM3dGkCvChuXplcTMtd60fsAFM73CVAKOSMu a comment',
    bits: 256,
    sha256: 'SHA256:Ug4G5AXL0eN/dvKhOH5tPHLXiRqVwwTpMoMK2gQUkUA',
    md5: '6c:93:82:3d:5b:9f:af:b2:70:18:0e:cc:77:d8:08:78',
  },
  ecdsa256: {
    text:
      'ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBH9fMlM3dHWmiGO8GQOyrtVADhs2' +
      'mb6xYkkHPcXlffxMuRlQWTtgy0HFi5Ty9E9ksp9Aheonsy5oZ0lahSqBVdY= a comment',
    bits: 256,
    sha256: 'SHA256:lB77R2x3WHQpbvsYMdchBN6AO5pQuYN0dtKjymZgF8I',
    md5: '1e:48:da:ba:3a:9f:34:88:dc:c5:14:06:dc:30:46:ba',
  },
  ecdsa384: {
    text:
      'ecdsa-sha2-nistp384 AAAAE2VjZHNhLXNoYTItbmlzdHAzODQAAAAIbmlzdHAzODQAAABhBGbplZORu2JW5PB8hyqgX2uSc4gU' +
      '2Nucdf8qQEdKb7L8+awMxXZUVsyhw+Na+LBAdl//H5sw0w3Z5j0ect7nFf3lhSGe9u6ihKBgnIn9RWPVxVadgbRju6em7CANPffg' +
      'bA== a comment',
    bits: 384,
    sha256: 'SHA256:bfxjadbB58/QGCboedbHW/29WssDSbHRL7M4/RUk+IU',
    md5: 'b0:d5:38:e2:9b:d1:0e:da:35:1d:4f:ab:d1:eb:24:93',
  },
  ecdsa521: {
    text:
      'ecdsa-sha2-nistp521 AAAAE2VjZHNhLXNoYTItbmlzdHA1MjEAAAAIbmlzdHA1MjEAAACFBAAxZRRSOps4MN7liyIvBIkNolgu' +
      'JxVwVUalrqjaB8XRV2sAMPkBkh9/qL3WXcG17zClN2KA2ao/C2IGdToht0la2wAgnUP0g5Ksu5YeeWAPFENGzd2H5okKVQxNp4jR' +
      'nE6Nj8w40YOT29RzVyxk/1H9rnOaUxyokb7hmRrloelVR4ek1A== a comment',
    bits: 521,
    sha256: 'SHA256:p7yLwU7vsEutS9lrjHeAmbaKLGDySDHA9kpAg+QAOok',
    md5: '20:39:be:e6:fe:21:f9:04:ee:7a:25:74:c9:0e:ec:fc',
  },
  dsa: {
    text:
      'ssh-dss AAAAB3NzaC1kc3MAAACBAO14JeuEZbj5ynsZTW/DdGjucDU1FlDX0BUk4bq7SG3efe23zgV7Lm0ns8GHgNVI2Ct3XCnw' +
      'p/93AyzFy0A3wc6BUuhyltiG1nkuSZ7G6FlR/vCQXusfQMvHjQ75TcYcOWbJGp0fCNqHdC/gs/+Hdo+ZkXTj6k/BlVYvS3HMjciN' +
      'AAAAFQCehX0uoL3cmBzL3XmL8AuhzVYPVQAAAIBSWLwJkJz4TZK7rOf7KM1i12eCMK4sYcUXC4ygldK6Rgxi5Zgz/Y20A54UCugN' +
      'TR+959+mzpxEVxfVm8lXwgDgGkaS1oYdIzjQ80/Jbp+gpYv5XCTFnMBMkzXy1bMk2D455zZ8k48TLwLLlFWsieU3MBv2VXtnnXxD' +
      'FK224ZUn2wAAAIAfAvfCGf4dcxiLOOOB12LCIDgT226Fo+NsksyAOui3uI2XI7iV/onYsJLPX7T7SnOHau1nxNyJEv0YKO4j/4ox' +
      'HQqFIheYAJqVmUD7FNYhiNKtdiaifwkNIuOfYyXItd5ePbTJDC8CSn80C3WkQvUyx0YKW99eRM+LUOrmgLuZuw== a comment',
    bits: 1024,
    sha256: 'SHA256:MreyqQae+wg5GXuucNZrFs37kzyPR+2edHq32ir4Jss',
    md5: '6f:e2:bf:70:29:a8:62:6f:25:b6:51:03:b2:bc:ac:01',
  },
} as const;

/** OpenPGP keys created with gpg, and the properties it reports. */
export const gpgKeys = {
  ada: {
    text: `-----BEGIN PGP PUBLIC KEY BLOCK-----

mDMEavkixBYJKwYBBAHaRw8BAQdALlD9zYrlgeYfgzY9cTg6DG+lZBi/kj4qBqtJ
0/jZwh+0HUFkYSBUd28gPEFkYS5Ud29ARXhhbXBsZS5jb20+iJAEExYIADgWIQSS
k1h7XuHkLbbJXyUdDSBiAulbkQUCavkixAIbAwULCQgHAgYVCgkICwIEFgIDAQIe
AQIXgAAKCRAdDSBiAulbkZWdAQDXxL4NWDynswYfsqYs5+2eHmNh8b+KwYgkJ7H9
qWJ7yAD8Dt+c4tDCI4qbPyVs9pbc7mdlSnQS/CnSMaZ08eKgCAC0HEFkYSAodGVz
dCkgPGFkYUBleGFtcGxlLmNvbT6IkAQTFggAOBYhBJKTWHte4eQttslfJR0NIGIC
6VuRBQJq+SLEAhsDBQsJCAcCBhUKCQgLAgQWAgMBAh4BAheAAAoJEB0NIGIC6VuR
K0YA/0B4hHsnqT6aBU4WTlR2sSx1QEpFngNsQKZdSR1gp6QwAP9SwDyT0tkxrRIr
p9vzSESpwNqx0wP4cSSvqFi4sSz6DLg4BGr5ItsSCisGAQQBl1UBBQEBB0CbcjuG
/Kid+Iid6mOkBaAf12Zt/MLvNbOEQSsgK5nyYQMBCAeIeAQYFggAIBYhBJKTWHte
4eQttslfJR0NIGIC6VuRBQJq+SLbAhsMAAoJEB0NIGIC6VuRh00BAIxLjbzhUTM7
Z2ppxrHdkN9NCTjZvr6Z3q8VKx98l9VVAQCqALxn8+NV7SARW/feexlH/GwP2BhJ
zi1ICPTEZ/0LDA==
=gIeu
-----END PGP PUBLIC KEY BLOCK-----`,
    fingerprint: '9293587B5EE1E42DB6C95F251D0D206202E95B91',
    subkeys: ['87BB5C4685FC727E'],
    emails: ['ada.two@example.com', 'ada@example.com'],
  },
  rsa: {
    text: `-----BEGIN PGP PUBLIC KEY BLOCK-----

mQENBGr5IsQBCADGxbKrlHsoqSjB5j/ywQUMtxhFbDZKhZk3lT/JaWvfTFL3bKfN
b4TI4mTTVpl2oCDkYmdGbZt20aDS+Xc4jOuJOin4vipTiKl/4x53LbobeOn7mWPy
Zw7ORsiUbHvCwimfR83V7y8ITdtOnOGtG7PQd2heQVhdjJybo5sNYZ5A7P3IYRn7
/xSadiHYJXLoyG8SiS198oN8RRrxQd7T6gkiwUO1W/9Uhnzd6PwlQm71EjMA2XZD
KFLzIbXdcTmS72sRyLVrBh0X4v945ZPb8RERv91F8JqbyMm7Zk8kQZ3M21rVFavl
TldMcy2RZs0Kzh/H3pZsBNF+jKRYcXt4DrNvABEBAAG0D3JzYUBleGFtcGxlLmNv
bYkBTgQTAQoAOBYhBEBPw+j1UqkPJ2exeROHMgXk2k4sBQJq+SLEAhsDBQsJCAcC
BhUKCQgLAgQWAgMBAh4BAheAAAoJEBOHMgXk2k4sdscH/AozUuCZjCCo6x6q3JGq
JbhclKofDPuYhtnQZyZ2glwxPDdEvOknJoKNB0F8RlfLeWwr7qVsAKyiXRVRh7jS
15x+6I2IMEN2Ju8HFq8UbcH0a7nkgf6r2Uj0EfRKtiauf4Vs/k8Fu6YL7hojhSza
pSNfi+ThAi00xsUMolLu0AxuzeletROiUDabKZrkN+t0N5ORn9MvXJwjvDj6ao2w
TB3V2oRiZGvWlgrZj9fPB35t2+coXzb8c1ws+ty+hKX3FChxn4YUrzQGy/NMQ7xX
PXnW0dDt9/4iF4F6TvbaAMv9GdKhRbvtdfWwzYv6ilY1YFKvBQwhnpqxb5Y/vNVn
Aow=
=VRuB
-----END PGP PUBLIC KEY BLOCK-----`,
    fingerprint: '404FC3E8F552A90F2767B17913873205E4DA4E2C',
    subkeys: [],
    emails: ['rsa@example.com'],
  },
} as const;

/** A private key, as users paste by mistake. */
export const privateGpgKey = `-----BEGIN PGP PRIVATE KEY BLOCK-----

lFgEavkixBYJKwYBBAHaRw8BAQdALlD9zYrlgeYfgzY9cTg6DG+lZBi/kj4qBqtJ
0/jZwh8AAP9UcfdorbU3MTvhM0TQWvIaRNgwnTjNm7NGCa9qWWuPsRBetBxBZGEg
KHRlc3QpIDxhZGFAZXhhbXBsZS5jb20+iJAEExYIADgWIQSSk1h7XuHkLbbJXyUd
DSBiAulbkQUCavkixAIbAwULCQgHAgYVCgkICwIEFgIDAQIeAQIXgAAKCRAdDSBi
AulbkStGAP9AeIR7J6k+mgVOFk5UdrEsdUBKRZ4DbECmXUkdYKekMAD/UsA8k9LZ
Ma0SK6fb80hEqcDasdMD+HEkr6hYuLEs+gy0HUFkYSBUd28gPEFkYS5Ud29ARXhh
bXBsZS5jb20+iJAEExYIADgWIQSSk1h7XuHkLbbJXyUdDSBiAulbkQUCavkixAIb
AwULCQgHAgYVCgkICwIEFgIDAQIeAQIXgAAKCRAdDSBiAulbkZWdAQDXxL4NWDyn
swYfsqYs5+2eHmNh8b+KwYgkJ7H9qWJ7yAD8Dt+c4tDCI4qbPyVs9pbc7mdlSnQS
/CnSMaZ08eKgCAA=
=MTwD
-----END PGP PRIVATE KEY BLOCK-----`;
