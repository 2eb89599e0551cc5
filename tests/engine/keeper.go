package engine

// Keeper is the secrets provider of new stacks. Where it is, the environment says: VAULT_SERVER_URL, as for the CLI. To derive
// a key from a passphrase would take longer than all the rest of an operation, on purpose.
const Keeper = "hashivault://tests"
