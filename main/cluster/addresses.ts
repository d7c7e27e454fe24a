/**
 * Which addresses members may have. TensorFlow's server has no encryption: this machine is always fine, a private network when
 * the person says so, a public address never. IPv4. Pure.
 */
import { UserError } from '../../shared/errors.js';

type Reach = 'loopback' | 'private' | 'public';

/** RFC 1122 (127/8), RFC 1918 (10/8, 172.16/12, 192.168/16), RFC 3927 (169.254/16), RFC 6598 (100.64/10). */
export function reachOf(address: string): Reach {
  const parts = address.split('.').map(Number);
  const [a = -1, b = -1] = parts;
  if (parts.length !== 4 || parts.some((part) => !Number.isInteger(part) || part < 0 || part > 255)) return 'public';
  if (a === 127) return 'loopback';
  const isPrivate =
    a === 10 ||
    (a === 172 && b >= 16 && b < 32) ||
    (a === 192 && b === 168) ||
    (a === 169 && b === 254) ||
    (a === 100 && b >= 64 && b < 128);
  return isPrivate ? 'private' : 'public';
}

/** @throws UserError `bad_input` for an address that the person has not allowed, or that nobody may */
export function mustBeAllowed(address: string, network: 'loopback' | 'private', hasKey: boolean): void {
  const reach = reachOf(address);
  if (reach === 'loopback') return;
  if (reach === 'public') {
    throw new UserError({
      code: 'bad_input',
      message: `${address} is a public address: what members send each other is not encrypted, and would be open to everybody`,
      hint: 'Connect the machines with WireGuard or ssh tunnels, and give the addresses inside of it (docs/clusters.md).',
      field: 'cluster',
    });
  }
  if (network !== 'private') {
    throw new UserError({
      code: 'bad_input',
      message: `${address} is not this machine: what members send each other is not encrypted, and whoever is on that network can read it`,
      hint: 'If that network is yours alone, say so: --cluster_network private.',
      field: 'cluster_network',
    });
  }
  if (!hasKey) {
    throw new UserError({
      code: 'bad_input',
      message: 'Members on different machines need a key that they have in common, so that nobody else can join them',
      hint: 'Make one and give it to every process: export VERISIM_CLUSTER_KEY="$(openssl rand -hex 32)"',
      field: 'cluster_network',
    });
  }
}
