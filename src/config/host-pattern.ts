import { z } from "zod";

/** A host in lists of hosts: `example.org`, `example.org:8443`, or `*.example.org` for all below it. */
export const hostPattern = z
  .string()
  .regex(/^(?:\*\.)?[a-z0-9.-]+(?::\d{1,5})?$/i, "write a host, `host:port` or `*.host`");
