"""A commit signed by an SSH key and a tag signed by a PGP key, both made once; whose private keys nobody has kept."""

FINGERPRINT = "9C420CAD64AAD5BEF409BF0558EEF5DF30F9827B"
PGP_KEY = """\
-----BEGIN PGP PUBLIC KEY BLOCK-----

mDMEavlVYBYJKwYBBAHaRw8BAQdAllJm4d5MEGjPMB60SZhU5wNY1s+i1wNW5iEZ
XGUda4e0JlNpZ25lciA8c2lnbmVyQHNpZ25hdHVyZXMuZXhhbXBsZS5jb20+iJAE
ExYIADgWIQScQgytZKrVvvQJvwVY7vXfMPmCewUCavlVYAIbIwULCQgHAgYVCgkI
CwIEFgIDAQIeAQIXgAAKCRBY7vXfMPmCezrRAP4iEFNQpCfuGWV90qxuW9ISvkB6
yxtgGAVUzYryYygThQEAxIbNSv6wFgt2QcfWUuCY0XWLsITsRDOJRXM5rmfKBgM=
=VUhD
-----END PGP PUBLIC KEY BLOCK-----
"""
SSH_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE54XM1kal9MHPZbauqDg5RX0ZHBKV2D0OqE5/FcoGkv signer"
COMMIT = """\
tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904
author Signer <signer@signatures.example.com> 1700000000 +0000
committer Signer <signer@signatures.example.com> 1700000000 +0000
gpgsig -----BEGIN SSH SIGNATURE-----
 U1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAgTnhczWRqX0wc9ltq6oODlFfRkc
 EpXYPQ6oTn8VygaS8AAAADZ2l0AAAAAAAAAAZzaGE1MTIAAABTAAAAC3NzaC1lZDI1NTE5
 AAAAQBTpJT/LaFP9h51f0JTKISD36ArMJ7cDgVi8rCrBaVkTt9ytntweanOIn/T6GQ/d0I
 Z/di5b/nh1s594Y2VsJgc=
 -----END SSH SIGNATURE-----

Signed by a key of SSH
"""
COMMIT_ID = "3cdb10efb96b97bfa672def51e48a0c96de44f35"
TAG = """\
object 3cdb10efb96b97bfa672def51e48a0c96de44f35
type commit
tag signed
tagger Signer <signer@signatures.example.com> 1700000000 +0000

Signed by PGP
-----BEGIN PGP SIGNATURE-----

iJQEABYIADwWIQScQgytZKrVvvQJvwVY7vXfMPmCewUCavlVYB4cc2lnbmVyQHNp
Z25hdHVyZXMuZXhhbXBsZS5jb20ACgkQWO713zD5gnvHWwEAvMNDGpQoJd7vUg6C
7wFWHhfV8Z66LXmnkbf+rtebEJ0A/jM7tcGmFMEaowHd3dN0imhHfS5KusYHFFce
Mow+yA4K
=GU8i
-----END PGP SIGNATURE-----
"""
