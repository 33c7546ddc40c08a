"""More publications of the gallery."""

from weightsmith.library.papers.entry import Paper

LIU = Paper(
    "liu-et-al-2023",
    "Bingbin Liu, Jordan T. Ash, Surbhi Goel, Akshay Krishnamurthy and Cyril Zhang",
    "Transformers Learn Shortcuts to Automata",
    "ICLR",
    2023,
)
SANFORD = Paper(
    "sanford-et-al-2024",
    "Clayton Sanford, Daniel Hsu and Matus Telgarsky",
    "Transformers, parallel computation, and logarithmic depth",
    "ICML",
    2024,
)
OLSSON = Paper(
    "olsson-et-al-2022",
    "Catherine Olsson and others",
    "In-context Learning and Induction Heads",
    "Transformer Circuits Thread",
    2022,
)
SVETE = Paper(
    "svete-cotterell-2024",
    "Anej Svete and Ryan Cotterell",
    "Transformers Can Represent n-gram Language Models",
    "NAACL",
    2024,
    "10.18653/v1/2024.naacl-long.381",
)
NICHANI = Paper(
    "nichani-et-al-2025",
    "Eshaan Nichani, Jason D. Lee and Alberto Bietti",
    "Understanding Factual Recall in Transformers via Associative Memories",
    "ICLR",
    2025,
)
ADDERBOARD = Paper(
    "adderboard-2026",
    "Dimitris Papailiopoulos (maintainer)",
    "AdderBoard: the smallest transformer that can add two 10-digit numbers",
    "github.com/anadim/AdderBoard",
    2026,
)
BERGSTRAESSER = Paper(
    "bergstraesser-et-al-2026",
    "Pascal Bergsträßer, Ryan Cotterell and Anthony W. Lin",
    "Transformers are Inherently Succinct",
    "ICLR",
    2026,
)
LI_CHAINS = Paper(
    "li-et-al-2024",
    "Zhiyuan Li, Hong Liu, Denny Zhou and Tengyu Ma",
    "Chain of Thought Empowers Transformers to Solve Inherently Serial Problems",
    "ICLR",
    2024,
)
YANG = Paper(
    "yang-et-al-2024",
    "Andy Yang, David Chiang and Dana Angluin",
    "Masked Hard-Attention Transformers Recognize Exactly the Star-Free Languages",
    "NeurIPS",
    2024,
)
LI_COTTERELL = Paper(
    "li-cotterell-2025",
    "Jiaoda Li and Ryan Cotterell",
    "Characterizing the Expressivity of Fixed-Precision Transformer Language Models",
    "NeurIPS",
    2025,
)
MERRILL_CHAINS = Paper(
    "merrill-sabharwal-2024",
    "William Merrill and Ashish Sabharwal",
    "The Expressive Power of Transformers with Chain of Thought",
    "ICLR",
    2024,
)
