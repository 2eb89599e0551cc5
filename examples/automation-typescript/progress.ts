import { EngineEvent } from "@pulumi/pulumi/automation";

const wait = "k8sconnect:index:Wait";

/** Prints what happens while a command runs, and records what failed. */
export class Progress {
    private readonly waits: string[] = [];
    private readonly others: string[] = [];
    private readonly last = new Map<string, string>(); // what was said last of a resource

    constructor(private readonly tenant: string) {}

    print({ resOutputsEvent: done, resOpFailedEvent: failed, diagnosticEvent: said }: EngineEvent) {
        if (done && !["same", "refresh"].includes(done.metadata.op) && done.metadata.type.startsWith("k8sconnect:")) {
            this.say(done.metadata.urn, `${done.metadata.op} done`);
        } else if (failed?.metadata.type === wait) {
            // A failed wait is in the state, with its reasons.
            this.waits.push(this.say(failed.metadata.urn, failed.metadata.new?.initErrors?.join("\n") ?? ""));
        } else if (said?.urn && said.severity === "error") {
            if (typeOf(said.urn) !== wait) {
                this.others.push(this.say(said.urn, said.message));
            }
        } else if (said?.urn && this.last.get(said.urn) !== said.message) {
            this.say(said.urn, said.message);
            this.last.set(said.urn, said.message);
        }
    }

    /** Whether only waits have failed. */
    get notReady() {
        return this.waits.length > 0 && this.others.length === 0;
    }

    /** What failed, in one line, or everything that is known. */
    explain(error: unknown) {
        return new Error([...this.waits, ...this.others].join("; ") || (error as Error).message);
    }

    /** Prints lines about a resource, each after the name of the tenant, and returns the first. */
    private say(urn: string, text: string) {
        const lines = text.trim().split("\n").map(line => `${urn.split("::").pop()}: ${line}`);
        if (text.trim()) {
            lines.forEach(line => console.log(`${this.tenant}: ${line}`));
        }
        return lines[0];
    }
}

function typeOf(urn: string) {
    return urn.split("::")[2].split("$").pop();
}
