/** Decides which addresses members may have: TensorFlow encrypts nothing, so loopback, or a private network that the user trusts. */
import { localized } from '../../shared/messages/message.js';
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

/** @throws UserError `bad_input` for a public address, or a private one without the user's consent */
export function mustBeAllowed(address: string, network: 'loopback' | 'trusted'): void {
  const reach = reachOf(address);
  if (reach === 'loopback' || (reach === 'private' && network === 'trusted')) return;
  const [message, hint] =
    reach === 'public'
      ? [
          localized('cluster.public_address_members_neither_encrypt', { address }),
          localized('cluster.connect_machines_wireguard_ssh_tunnels'),
        ]
      : [
          localized('cluster.another_machine_anyone_network_can', { address }),
          localized('cluster.if_every_machine_user_network'),
        ];
  throw new UserError({ code: 'bad_input', message, hint, field: reach === 'public' ? 'cluster' : 'cluster_network' });
}
