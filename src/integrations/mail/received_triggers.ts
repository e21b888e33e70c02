/** `notifications.mail.MailReceivedTrigger` and `RealTimeTrigger`. */
import { systemClock } from "../../base/time/clock.ts";
import { dynamicProperty } from "../../model/flows/schema.ts";
import { defineTrigger } from "../../model/triggers/trigger_definition.ts";
import { MAIL_OUTPUTS, MAILBOX_PROPERTIES } from "./mailbox_properties.ts";
import { withMailbox } from "./open_mailbox.ts";

/** Before its first poll a trigger knows no position: it takes the mails of the last minute. */
const FIRST_MS = 60_000;

/** The position in the mailbox is kept, so that no mail is taken twice or left out. */
export const mailReceivedTrigger = defineTrigger({
  type: "notifications.mail.MailReceivedTrigger",
  aliases: ["email.MailReceivedTrigger"],
  title: "Start for new mails",
  description:
    "Looks for mails that a mailbox has received since the last poll, at most 10, and starts one execution for them. Mails stay unread in the mailbox.",
  properties: MAILBOX_PROPERTIES,
  outputs: {
    latestEmail: { type: "map", description: "The mail that was received last." },
    total: { type: "integer", description: "Number of new mails." },
    emails: {
      type: "list",
      items: { type: "object", properties: MAIL_OUTPUTS, description: "A mail." },
      description: "The new mails, in the order in which they were received.",
    },
  },
  examples: [{
    title: "Start for new mails",
    yaml: `id: mails
type: io.kestra.plugin.notifications.mail.MailReceivedTrigger
host: imap.example.com
username: "{{ secret('MAIL_USER') }}"
password: "{{ secret('MAIL_PASSWORD') }}"
interval: PT1M`,
  }],
  async poll(context) {
    const since = systemClock.now() - FIRST_MS;
    const { mails, position } = await withMailbox(
      context,
      (mailbox) => mailbox.read(context.state.get(), since),
    );
    context.state.set(position);
    const emails = mails.map(({ variables }) => variables);
    const latestEmail = emails.at(-1);
    return latestEmail && { latestEmail, total: emails.length, emails };
  },
});

/** With POP3 it polls, since that protocol reports nothing. */
export const mailRealtimeTrigger = defineTrigger({
  type: "notifications.mail.RealTimeTrigger",
  aliases: ["email.RealTimeTrigger"],
  title: "Start for each new mail",
  description:
    "Holds a connection to a mailbox of IMAP and starts an execution for each mail that it receives. A mailbox of POP3 is polled. Mails that arrive while there is no connection start none.",
  properties: {
    ...MAILBOX_PROPERTIES,
    interval: dynamicProperty("duration", "Time between two polls of POP3.", { default: "PT1M" }),
  },
  outputs: MAIL_OUTPUTS,
  examples: [{
    title: "Start for each new mail",
    yaml: `id: mail
type: io.kestra.plugin.notifications.mail.RealTimeTrigger
host: imap.example.com
username: "{{ secret('MAIL_USER') }}"
password: "{{ secret('MAIL_PASSWORD') }}"`,
  }],
  async realtime(context) {
    await withMailbox(context, async (mailbox) => {
      const since = systemClock.now();
      let { position } = await mailbox.read(undefined, since);
      context.connected();
      while (!context.signal.aborted) {
        const found = await mailbox.read(position, since);
        for (const { identity, variables } of found.mails) await context.emit(variables, { identity });
        position = found.position;
        if (found.mails.length === 0) await mailbox.waitForMails();
      }
    });
  },
});
