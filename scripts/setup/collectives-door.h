/**
 * The door to TensorFlow's server. The server itself listens on every address of the machine, asks nobody who he is, and
 * runs whatever it is sent. So its sockets are looked after here: it listens on one address, and whoever connects, and
 * whomever it connects to, has to prove that he knows the members' key.
 */
#pragma once
#include <string>
#include <vector>

namespace door {

/**
 * Before the server is opened.
 * @param listen the one address to listen on, IPv4
 * @param key what both sides of a connection must know
 * @param peers the members' addresses, "a.b.c.d:port"
 * @returns what went wrong; '' for nothing
 */
std::string Guard(const std::string& listen, int port, const std::string& key, const std::vector<std::string>& peers);

/** HMAC-SHA256 (RFC 2104, FIPS 180-4), 32 bytes. */
std::string Proof(const std::string& key, const std::string& message);

}  // namespace door
