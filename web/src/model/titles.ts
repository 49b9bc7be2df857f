// What a method is called where people read, beside the name it is asked for by.
const own: Record<string, string> = {
  alti: "ALTI",
  attattr: "Attention attribution",
  attn_lrp: "AttnLRP",
  chefer: "Chefer's relevance",
  cp_lrp: "CP-LRP",
  decompx: "DecompX",
  globenc: "GlobEnc",
  grad_cam: "Grad-CAM",
  input_x_gradient: "Input × gradient",
  kernel_shap: "KernelSHAP",
  lime: "LIME",
  lrp: "LRP",
  partial_lrp: "Partial LRP",
  smooth_grad: "SmoothGrad",
};

// "integrated_gradients" → "Integrated gradients"; of an aggregate with its name behind.
export function methodTitle(name: string, aggregate: string | null = null): string {
  const plain = own[name] ?? name[0].toUpperCase() + name.slice(1).replace(/_/g, " ");
  return aggregate ? `${plain}, ${aggregate}` : plain;
}
