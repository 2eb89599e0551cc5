// A small platform: every tenant has its own stack with a namespace, a quota and a network policy, and many stacks
// are updated at the same time.
import { setMaxListeners } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import * as auto from "@pulumi/pulumi/automation";
import { Progress } from "./progress.js";
import { program } from "./tenant.js";

const { values: flags, positionals: [action, ...tenants] } = parseArgs({
    allowPositionals: true,
    options: {
        image: { type: "string", default: "nginx:1.29" }, // what runs in a tenant's pod
        timeout: { type: "string", default: "2m" }, // how long a try waits for the pod to be ready
        tries: { type: "string", default: "3" }, // how often a tenant is tried whose pod is not ready in time
        parallel: { type: "string", default: "8" }, // how many tenants are worked on at the same time
    },
});

// A terminal also sends ^C to the running pulumi commands. They finish what they have started; a second signal would
// make them abandon it. So only commands that still run after a while get one. SIGTERM reaches only this process,
// which passes it on.
const stopping = new AbortController();
const cancelled = new AbortController();
setMaxListeners(0, cancelled.signal); // each command is one
process.on("SIGINT", () => {
    stopping.abort(new Error("not begun"));
    setTimeout(() => cancelled.abort(), 10_000).unref();
});
process.on("SIGTERM", () => {
    stopping.abort(new Error("not begun"));
    cancelled.abort();
});

/**
 * Updates a tenant's stack. If only a wait fails, it tries again: created objects stay, and the next update continues
 * from there. Anything else would fail again.
 */
async function up(tenant: string, args: auto.InlineProgramArgs, options: auto.LocalWorkspaceOptions) {
    const stack = await auto.LocalWorkspace.createOrSelectStack(args, options);
    stopping.signal.throwIfAborted();
    for (let attempt = 1; ; attempt++) {
        const progress = new Progress(tenant);
        try {
            await stack.up({ onEvent: event => progress.print(event), signal: cancelled.signal });
            return;
        } catch (error) {
            if (!progress.notReady || !(attempt < Number(flags.tries))) {
                throw progress.explain(error);
            }
            await sleep(attempt * 1000, undefined, { signal: stopping.signal }).catch(() => {
                throw progress.explain(error);
            });
        }
        console.log(`${tenant}: try ${attempt + 1} of ${flags.tries}`);
    }
}

/** Destroys a tenant's stack and removes it. If there is none, there is nothing to do. */
async function destroy(tenant: string, args: auto.InlineProgramArgs, options: auto.LocalWorkspaceOptions) {
    const progress = new Progress(tenant);
    try {
        const stack = await auto.LocalWorkspace.selectStack(args, options);
        stopping.signal.throwIfAborted();
        await stack.destroy({ onEvent: event => progress.print(event), signal: cancelled.signal, remove: true });
    } catch (error) {
        if (!(error instanceof auto.StackNotFoundError)) {
            throw progress.explain(error);
        }
        console.log(`${tenant}: there is no such stack`);
    }
}

async function main() {
    const work = new Map([["up", up], ["destroy", destroy]]).get(action);
    if (!work || tenants.length === 0 || !(Number(flags.parallel) >= 1)) {
        console.error("Usage: npm start -- up|destroy [--image IMAGE] [--timeout 2m] [--tries 3] [--parallel 8] TENANT...");
        process.exitCode = 2;
        return;
    }
    const pulumiCommand = await auto.PulumiCommand.get();
    const failures: string[] = [];
    const queue = [...tenants];
    const worker = async () => {
        for (let tenant = queue.shift(); tenant !== undefined; tenant = queue.shift()) {
            const workDir = await mkdtemp(join(tmpdir(), "automation-"));
            try {
                stopping.signal.throwIfAborted();
                const inline = { stackName: tenant, projectName: "automation-typescript", program: program(tenant, flags.image, flags.timeout) };
                await work(tenant, inline, { workDir, pulumiCommand });
            } catch (error) {
                failures.push(`${tenant}: ${(error as Error).message}`);
            } finally {
                await rm(workDir, { recursive: true });
            }
        }
    };
    await Promise.all(Array.from({ length: Number(flags.parallel) }, worker));
    if (failures.length > 0) {
        console.error(`\nFailed:\n${failures.join("\n")}`);
        process.exitCode = 1;
    }
}

main();
